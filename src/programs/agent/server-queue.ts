import { GatewayError } from '../../platform/api-errors.ts'
import { WakeSignal } from '../../platform/tools/repeat-work.ts'
import type { Journal, JournalEntry } from './send-journal.ts'
import { retryUntilEnded, type ServerLink } from './server-link.ts'

const MAX_ITEMS = 100
const IDLE_MS = 60_000
const LAST_MS = 3_000
const PATHS: Record<JournalEntry['kind'], string> = {
  report: '/api/devices/report',
  incoming: '/api/devices/incoming',
  typed: '/api/devices/typed',
}

/** Sends the journal's reports and received texts, each kind in order. Calls `onTaken` after each batch. */
export function openServerQueue(
  journal: Journal,
  server: ServerLink,
  onTaken: () => void,
  say: (line: string) => void,
) {
  type Numbered = readonly [number, JournalEntry]
  const more = new WakeSignal()
  const next = (): readonly Numbered[] => {
    const batch: Numbered[] = []
    for (const entry of journal.untold)
      if (entry[1].kind === (batch[0] ?? entry)[1].kind && batch.push(entry) === MAX_ITEMS) break
    return batch
  }
  const tell = async (entries: readonly Numbered[], ended: AbortSignal): Promise<void> => {
    const { kind } = entries[0]![1]
    let isRefused = false
    try {
      await server.call(PATHS[kind], { items: entries.map(([, { item }]) => item) }, ended)
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status === 401 || error.status === 403)
        throw error
      // the server refuses at least one of the entries: send each alone to get the others through
      if (entries.length > 1) {
        for (const entry of entries) await tell([entry], ended)
        return
      }
      say(`The server will not take a ${kind}: ${error.message}`)
      isRefused = true
    }
    const told = entries.map(([number]) => number)
    journal.forget(told, isRefused)
  }
  const empty = async (ended: AbortSignal) => {
    for (let some = next(); some.length > 0 && !ended.aborted; some = next()) {
      await tell(some, ended)
      onTaken()
    }
  }
  return {
    put(entry: JournalEntry): Promise<void> {
      const kept = journal.keep(entry)
      more.notify()
      return kept
    },
    /** Sends entries until `ended`. Throws GatewayError if the server rejects the device's token. */
    run: (ended: AbortSignal) =>
      retryUntilEnded(async () => {
        await empty(ended)
        await more.wait(IDLE_MS, ended)
      }, ended),
    /** Tries for 3 s to send the remaining entries. Unsent entries stay in the journal. */
    tellLast: () => empty(AbortSignal.timeout(LAST_MS)).catch(() => {}),
  }
}
