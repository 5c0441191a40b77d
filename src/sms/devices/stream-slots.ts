/** More than one, because a phone may reconnect before its broken stream ends. */
const MOST = 5

/** What ends each stream of a device on this node, the oldest first. */
const open = new Map<string, (() => void)[]>()

/** Takes one of 5 stream slots of a device; another one closes the oldest. The release: true if last. */
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
