import type { Session, Subscriber, Told } from './subscriber.ts'
import type { Written } from './writers.ts'

/** A subscriber, and which changes its rules and filters let it see. */
export interface Watcher {
  readonly name: string
  readonly subscriber: Subscriber
  allows(change: Written): boolean
}

const keyOf = ({ action, id, seq }: Told | Written) => `${id} ${action} ${seq}`
const orderOf = ({ action, seq }: Told) => seq * 2 + (action === 'delete' ? 1 : 0)

/** What was heard of each record, in order. */
const byRecord = <T extends { readonly id: string }>(list: readonly T[]) => Map.groupBy(list, ({ id }) => id)

/**
 * What is wrong with what a watcher was told, a sentence each. One whose connection held: each change that it
 * may see, once and in order, and no other. One that had to come again: nothing that it may not see, nothing
 * backwards; and what it holds in the end (lists read anew, events since) is what is.
 */
export function judgeWatcher(watcher: Watcher, changes: ReadonlyMap<string, readonly Written[]>): string[] {
  const { sessions } = watcher.subscriber
  const faults = sessions.flatMap(({ told }) => strangers(watcher, told, changes))
  const [only] = sessions
  if (sessions.length === 1) return [...faults, ...gaps(watcher, only!, changes)]
  return [...faults, ...sessions.flatMap(backwards), ...stale(watcher, changes)].map(
    (fault) => `${watcher.name}, who came again: ${fault}`,
  )
}

/** Told, though it may not be seen or did not happen. */
function strangers(
  { allows, name }: Watcher,
  told: readonly Told[],
  changes: ReadonlyMap<string, readonly Written[]>,
): string[] {
  return told
    .filter((event) => {
      const change = changes.get(event.id)?.find((one) => keyOf(one) === keyOf(event))
      return !change || !allows(change)
    })
    .map((event) => `${name} must not hear of ${keyOf(event)}`)
}

function gaps(
  { allows, name }: Watcher,
  { told }: Session,
  changes: ReadonlyMap<string, readonly Written[]>,
): string[] {
  const heard = byRecord(told)
  const faults: string[] = []
  for (const [id, all] of changes) {
    const due = all.filter(allows)
    const events = (heard.get(id) ?? []).map(keyOf)
    const sure = due.filter(({ isKnown }) => isKnown).map(keyOf)
    const isRight = isSame(events, sure) || isSame(events, due.map(keyOf))
    if (!isRight) faults.push(`${name} heard [${events}] of [${sure}]`)
  }
  return faults
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((key, i) => key === b[i])

function backwards({ told }: Session): string[] {
  return [...byRecord(told).values()].flatMap((events) =>
    events
      .filter((event, i) => i > 0 && orderOf(event) <= orderOf(events[i - 1]!))
      .map((e) => `back to ${keyOf(e)}`),
  )
}

/** Records of which the newest that it was told is not how they are in the end. */
function stale({ subscriber, allows }: Watcher, changes: ReadonlyMap<string, readonly Written[]>): string[] {
  const { listed, told } = subscriber.sessions.at(-1)!
  const known = byRecord([...listed, ...told])
  const faults: string[] = []
  for (const [id, all] of changes) {
    const last = all.findLast(({ isKnown }) => isKnown)
    if (!last || !all.at(-1)!.isKnown || !allows(last)) continue
    const newest = Math.max(-1, ...(known.get(id) ?? []).map(orderOf))
    const isGone = last.action === 'delete'
    // gone before the lists were read: then there was nothing to tell
    if (isGone ? newest >= 0 && newest < orderOf({ ...last, at: 0 }) : newest < last.seq * 2)
      faults.push(`${keyOf(last)} is not known, but ${newest}`)
  }
  return faults
}
