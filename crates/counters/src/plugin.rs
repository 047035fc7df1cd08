// SPDX-License-Identifier: GPL-2.0-or-later
//! The plugin's one object, and how it comes to be.

use std::cell::{Cell, UnsafeCell};
use std::collections::HashSet;
use std::sync::atomic::{fence, AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, RwLock};

use crate::arguments::Arguments;
use crate::counters::Counters;
use crate::heartbeat::Heartbeat;
use crate::output::{self, Diagnostics};
use crate::qemu;
use crate::ram::Ram;
use crate::regions::Regions;
use crate::sites::Sites;
use crate::vcpu::{checks, Handles, Shared, Vcpu};

static PLUGIN: OnceLock<Plugin> = OnceLock::new();

thread_local! {
    /// The vCPU whose thread this is. QEMU does not tell a translation callback.
    static THREAD_VCPU: Cell<Option<u32>> = const { Cell::new(None) };
}

/// What changes while the machine runs and is used by more than one vCPU.
#[derive(Debug, Default)]
pub struct Books {
    pub counters: Counters,
    pub regions: Regions,
    pub sites: Sites,
    pub diagnostics: Diagnostics,
}

/// Everything the callbacks need.
#[derive(Debug)]
pub struct Plugin {
    pub arguments: Arguments,
    pub shared: Shared,
    pub ram: Ram,
    pub heartbeat: Heartbeat,
    /// Changes at each TLBI on any vCPU.
    pub tlb_generation: AtomicU64,
    /// Every value `VBAR_EL1` has had: bases of exception vector tables.
    pub vector_tables: RwLock<HashSet<u64>>,
    /// Whether a region is open, or the whole run is wanted. Tag checks are
    /// examined only then, so that a boot costs little.
    counting: AtomicBool,
    books: Mutex<Books>,
    vcpus: Vec<VcpuCell>,
    qemu_api: i32,
}

#[derive(Debug)]
struct VcpuCell(UnsafeCell<Option<Vcpu>>);

// SAFETY: a cell is used only by the thread of its own vCPU (see `Plugin::vcpu`).
unsafe impl Sync for VcpuCell {}
// SAFETY: nothing in a Vcpu is tied to the thread that made it.
unsafe impl Send for VcpuCell {}

impl Plugin {
    /// Makes the one plugin of this process.
    ///
    /// # Errors
    /// One sentence, when the arguments or the machine do not fit.
    pub fn install(arguments: Arguments, max_vcpus: usize, qemu_api: i32) -> Result<(), String> {
        let plugin = Self {
            shared: Shared::new(),
            ram: Ram::find()?,
            heartbeat: Heartbeat::open(arguments.heartbeat.as_deref())?,
            tlb_generation: AtomicU64::new(0),
            vector_tables: RwLock::default(),
            counting: AtomicBool::new(arguments.machine),
            books: Mutex::default(),
            vcpus: (0..max_vcpus).map(|_| VcpuCell(UnsafeCell::new(None))).collect(),
            arguments,
            qemu_api,
        };
        PLUGIN.set(plugin).map_err(|_| "granule-counters: loaded twice".to_owned())
    }

    /// The plugin. Callbacks run only after it was installed.
    pub fn get() -> &'static Self {
        PLUGIN.get().expect("QEMU calls back after installation")
    }

    /// Whether tag checks are to be counted now.
    pub fn is_counting(&self) -> bool {
        self.counting.load(Ordering::SeqCst)
    }

    /// Has every vCPU look at its accesses again.
    pub fn start_counting(&self) {
        self.counting.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        for vcpu in 0..qemu::vcpus() {
            self.shared.checks.set(vcpu, checks::UNKNOWN);
        }
    }

    /// Lets vCPUs stop looking, each at its next access.
    pub fn stop_counting(&self) {
        self.counting.store(self.arguments.machine, Ordering::SeqCst);
        for vcpu in 0..qemu::vcpus() {
            self.shared.checks.set(vcpu, checks::UNKNOWN);
        }
    }

    /// The shared books.
    pub fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().expect("no callback panics while it holds the books")
    }

    /// Starts a vCPU; on that vCPU's thread.
    pub fn start_vcpu(&self, index: u32) {
        let handles = Handles::find(&qemu::registers()).unwrap_or_else(|message| fail(&message));
        let counters = self.books().counters.add_vcpu();
        let vcpu = Vcpu::new(index, handles, self.shared, counters);
        // SAFETY: this is the vCPU's own thread, and no callback of this vCPU
        // is running.
        unsafe { *self.vcpus[index as usize].0.get() = Some(vcpu) };
        self.shared.forget(index);
        THREAD_VCPU.set(Some(index));
    }

    /// State of a vCPU.
    ///
    /// # Safety
    /// Called on that vCPU's thread, at most once in each callback.
    #[allow(clippy::mut_from_ref)] // one thread, one borrow: see the contract
    pub unsafe fn vcpu(&self, index: u32) -> &mut Vcpu {
        // SAFETY: by this function's contract.
        let vcpu = unsafe { &mut *self.vcpus[index as usize].0.get() };
        vcpu.as_mut().expect("QEMU announces a vCPU before it runs")
    }

    /// State of the vCPU whose thread this is.
    ///
    /// # Safety
    /// As for [`Self::vcpu`].
    #[allow(clippy::mut_from_ref)] // as above
    pub unsafe fn thread_vcpu(&self) -> &mut Vcpu {
        let index = THREAD_VCPU.get().expect("blocks are translated on the thread of a vCPU");
        // SAFETY: by this function's contract.
        unsafe { self.vcpu(index) }
    }

    /// Writes the counts, as the machine powers off.
    pub fn finish(&self) {
        let books = self.books();
        let results = output::Results {
            qemu_api: self.qemu_api,
            vcpus: qemu::vcpus(),
            counters: &books.counters,
            regions: &books.regions,
            diagnostics: &books.diagnostics,
            profile: self.arguments.profile,
            machine: self.arguments.machine,
        };
        if let Err(message) = results.write(&self.arguments.out) {
            fail(&message);
        }
    }
}

/// Ends QEMU: a machine that cannot be counted is of no use, and a callback has
/// nobody to return an error to.
pub fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(3);
}
