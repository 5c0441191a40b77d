/**
 * One that is on at a time would do, but a phone that comes again may be quicker than the end of its broken
 * line.
 */
const MOST = 5

/** What ends each stream of a device on this node, the oldest first. */
const open = new Map<string, (() => void)[]>()

/**
 * Takes a place for a stream of a device. It has five: who wants a sixth ends its oldest, which is most
 * likely a line that is dead already. Call what it returns when the stream is over: true if it was the last
 * one.
 */
export function openStreamSlot(device: string, end: () => void): () => boolean {
  const ends = open.get(device) ?? []
  open.set(device, ends)
  ends.push(end)
  if (ends.length > MOST) ends.shift()!()
  return () => {
    const i = ends.indexOf(end)
    if (i >= 0) ends.splice(i, 1)
    return ends.length === 0 && open.delete(device)
  }
}
