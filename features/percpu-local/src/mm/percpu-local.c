// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chunks at an address where each CPU finds its own unit.
 *
 * On an architecture with page tables for each CPU, arch_percpu_local_addr() says where
 * a CPU finds its own copy of what a percpu pointer names.  Every chunk has its place
 * there, of the size of one unit, beside its areas in vmalloc.  Whatever pages of a
 * chunk are mapped, are mapped there too.
 *
 * Everything is protected by pcpu_alloc_mutex.
 */

/* How many areas are tried whose place is taken. */
#define PCPU_LOCAL_TRIES	8

/* Whether the architecture has the tables, and all chunks are in them. */
static bool pcpu_local_mapped;

static unsigned long pcpu_local_addr(struct pcpu_chunk *chunk, int page_idx)
{
	return arch_percpu_local_addr(__addr_to_pcpu_ptr(chunk->base_addr)) +
	       (page_idx << PAGE_SHIFT);
}

/* The place of the static data, which is that of the first chunk. */
static unsigned long pcpu_local_first(void)
{
	return arch_percpu_local_addr((void __percpu *)__per_cpu_start);
}

/* A place must not go round the end, nor up to where addresses are taken for errors. */
static bool pcpu_local_fits(unsigned long addr)
{
	return addr <= -PAGE_SIZE - pcpu_unit_size;
}

static bool pcpu_local_overlap(unsigned long addr, unsigned long other)
{
	return addr < other + pcpu_unit_size && other < addr + pcpu_unit_size;
}

static bool pcpu_local_is_free(unsigned long addr)
{
	struct pcpu_chunk *chunk;
	bool taken = pcpu_local_overlap(addr, pcpu_local_first());

	spin_lock_irq(&pcpu_lock);
	for (int slot = 0; slot < pcpu_nr_slots && !taken; slot++)
		list_for_each_entry(chunk, &pcpu_chunk_lists[slot], list)
			if (!chunk->immutable &&
			    pcpu_local_overlap(addr, pcpu_local_addr(chunk, 0)))
				taken = true;
	spin_unlock_irq(&pcpu_lock);

	return !taken;
}

static bool pcpu_local_is_place(struct vm_struct **vms)
{
	void *base_addr = vms[0]->addr - pcpu_group_offsets[0];
	unsigned long addr = arch_percpu_local_addr(__addr_to_pcpu_ptr(base_addr));

	return !addr || (pcpu_local_fits(addr) && pcpu_local_is_free(addr));
}

/* Areas whose place is taken are kept until others are found, so that they are others. */
static struct vm_struct **pcpu_get_chunk_areas(void)
{
	struct vm_struct **vms, **kept[PCPU_LOCAL_TRIES];
	int nr_kept = 0;

	do {
		vms = pcpu_get_vm_areas(pcpu_group_offsets, pcpu_group_sizes,
					pcpu_nr_groups, pcpu_atom_size);
		if (!vms || pcpu_local_is_place(vms))
			break;
		kept[nr_kept++] = vms;
		vms = NULL;
	} while (nr_kept < PCPU_LOCAL_TRIES);

	while (nr_kept)
		pcpu_free_vm_areas(kept[--nr_kept], pcpu_nr_groups);
	return vms;
}

/* Each unit's pages for its CPU; all or none. */
static int pcpu_map_local(struct pcpu_chunk *chunk, struct page **pages,
			  int page_start, int page_end)
{
	unsigned long addr = pcpu_local_addr(chunk, page_start);
	int nr_pages = page_end - page_start, err = 0;
	unsigned int cpu;

	if (!pcpu_local_mapped)
		return 0;

	for_each_possible_cpu(cpu) {
		err = arch_percpu_local_map(cpu, addr, &pages[pcpu_page_idx(cpu, page_start)],
					    nr_pages);
		if (err)
			break;
	}
	if (err)
		arch_percpu_local_unmap(addr, nr_pages);
	return err;
}

/*
 * The pages are about to be freed, and the place may be another chunk's next time, so
 * no CPU may still have them in its TLB when this returns.
 */
static void pcpu_unmap_local(struct pcpu_chunk *chunk, int page_start, int page_end)
{
	if (pcpu_local_mapped)
		arch_percpu_local_unmap(pcpu_local_addr(chunk, page_start),
					page_end - page_start);
}

static int __init pcpu_map_first_local(void)
{
	void *end = pcpu_first_chunk->base_addr + pcpu_first_chunk->nr_pages * PAGE_SIZE;
	unsigned long addr = pcpu_local_first();
	unsigned int cpu;
	struct page *page;
	void *base;
	int err = 0;

	for (base = pcpu_base_addr; base < end && !err; base += PAGE_SIZE, addr += PAGE_SIZE)
		for_each_possible_cpu(cpu) {
			page = phys_to_page(per_cpu_ptr_to_phys(base + pcpu_unit_offsets[cpu]));
			err = arch_percpu_local_map(cpu, addr, &page, 1);
			if (err)
				break;
		}
	return err;
}

static int __init pcpu_map_chunk_local(struct pcpu_chunk *chunk)
{
	struct page **pages = pcpu_get_pages();
	unsigned int cpu, start, end;
	int err, i;

	if (!pages)
		return -ENOMEM;

	for_each_set_bitrange(start, end, chunk->populated, chunk->nr_pages) {
		for_each_possible_cpu(cpu)
			for (i = start; i < end; i++)
				pages[pcpu_page_idx(cpu, i)] = pcpu_chunk_page(chunk, cpu, i);
		err = pcpu_map_local(chunk, pages, start, end);
		if (err)
			return err;
	}
	return 0;
}

/*
 * The chunks there are.  Only their order changes while pcpu_alloc_mutex is held, and
 * to map them may sleep.  Ends with NULL.
 */
static struct pcpu_chunk **__init pcpu_get_chunks(void)
{
	struct pcpu_chunk *chunk, **chunks;
	int nr = 0;

	spin_lock_irq(&pcpu_lock);
	for (int slot = 0; slot < pcpu_nr_slots; slot++)
		nr += list_count_nodes(&pcpu_chunk_lists[slot]);
	spin_unlock_irq(&pcpu_lock);

	chunks = kcalloc(nr + 1, sizeof(*chunks), GFP_KERNEL);
	if (!chunks)
		return NULL;

	nr = 0;
	spin_lock_irq(&pcpu_lock);
	for (int slot = 0; slot < pcpu_nr_slots; slot++)
		list_for_each_entry(chunk, &pcpu_chunk_lists[slot], list)
			chunks[nr++] = chunk;
	spin_unlock_irq(&pcpu_lock);
	return chunks;
}

static int __init pcpu_map_chunks_local(void)
{
	struct pcpu_chunk **chunks = pcpu_get_chunks();
	int err = chunks ? 0 : -ENOMEM;

	for (int i = 0; !err && chunks[i]; i++)
		if (!chunks[i]->immutable)
			err = pcpu_map_chunk_local(chunks[i]);
	kfree(chunks);
	return err;
}

/**
 * pcpu_local_init - map all chunks where each CPU finds its own unit
 *
 * Called once, when the architecture has tables to map them in.  From then on chunks
 * are mapped there as they are populated.
 *
 * RETURNS:
 * 0 on success, -ERANGE if there is no place for the first chunk, -ENOMEM.  If it
 * fails nothing will use the mappings, and what has been made of them stays.
 */
int __init pcpu_local_init(void)
{
	int err = -ERANGE;

	mutex_lock(&pcpu_alloc_mutex);
	if (pcpu_local_fits(pcpu_local_first())) {
		pcpu_local_mapped = true;
		err = pcpu_map_first_local();
		if (!err)
			err = pcpu_map_chunks_local();
		pcpu_local_mapped = !err;
	}
	mutex_unlock(&pcpu_alloc_mutex);
	return err;
}
