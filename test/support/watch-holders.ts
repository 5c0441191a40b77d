import { admission } from '../../src/platform/limits/shared-limits.ts'

/** What holders take places or room of, and the method by which they do. */
const ENTRIES = {
  requests: [admission.requests, 'tryEnter'],
  bodies: [admission.bodies, 'tryEnter'],
  memory: [admission.memory, 'open'],
  files: [admission.temporaryFiles, 'open'],
} as const

type Entry = keyof typeof ENTRIES

/** The holders that take a place, memory or room for files in this process while `work` runs, in order. */
export async function watchHolders<const E extends Entry>(
  entries: readonly E[],
  work: () => Promise<unknown>,
): Promise<Readonly<Record<E, readonly string[]>>> {
  const watched = entries.map((entry) => {
    const [limit, way] = ENTRIES[entry] as readonly [object, string]
    return [entry, vi.spyOn(limit as Record<string, (holder: string) => unknown>, way)] as const
  })
  try {
    await work()
    const found = watched.map(([entry, { mock }]) => [entry, mock.calls.map(([holder]) => holder)])
    return Object.fromEntries(found)
  } finally {
    for (const [, one] of watched) one.mockRestore()
  }
}
