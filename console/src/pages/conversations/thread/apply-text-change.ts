import type { Message } from '../../../data/record-types.ts'

/**
 * Applies a realtime event to the texts with a number. Events have no `expand`: a changed text keeps its
 * own. An erased text has lost its number, and with it its place. Returns `all` if nothing changes.
 */
export function applyTextChange(
  all: readonly Message[],
  action: string,
  record: Message,
  number: string,
): readonly Message[] {
  if (!all.some(({ id }) => id === record.id)) return all
  const isGone = action === 'delete' || (record.from !== number && record.to !== number)
  if (isGone) return all.filter(({ id }) => id !== record.id)
  return all.map((text) =>
    text.id === record.id ? ({ ...record, expand: text.expand } as Message) : text,
  )
}
