/** Maximum open streams of a device. A phone may reconnect before its broken stream ends. */
const MOST = 5

/** Maps a device to the functions that end its streams on this node, the oldest first. */
const open = new Map<string, (() => void)[]>()

/**
 * Adds a device's stream; a sixth one ends the oldest. The returned function removes the stream, and returns
 * true if the device has no other on this node.
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
