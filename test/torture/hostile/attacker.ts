import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { attackNamed } from '../attacks/all.ts'
import { type AttackRun, FIRST_ANSWER_MS, type Prepared } from '../attacks/attack.ts'

// A process that attacks: `node attacker.ts` says `ready`, then gets one message with the task. It tells the
// counts so far every half second and ends with the task. The time begins with the first answer: what an
// attack computes before that would take all of a short one on a busy machine.

/** What an attacker is to do. */
export interface AttackTask {
  readonly name: string
  readonly url: string
  readonly prepared: Prepared
  /** The client address to attack from. */
  readonly address: string
  readonly seconds: number
}

/** Answers by status, or by a word for what came instead. */
export type Counts = Readonly<Record<string, number>>

/** An attack is to cost the server, not the machine. */
const LEAST_PRIORITY = 19
const TELL_MS = 500

async function attack({ name, url, prepared, address, seconds }: AttackTask): Promise<Counts> {
  const counts: Record<string, number> = {}
  const begun = Promise.withResolvers<void>()
  const end = Promise.race([begun.promise, sleep(FIRST_ANSWER_MS)]).then(() =>
    sleep(seconds * 1_000),
  )
  let endsAt = Number.POSITIVE_INFINITY
  const run: AttackRun = {
    url,
    prepared,
    address,
    isOver: () => performance.now() >= endsAt,
    end,
    count(answer) {
      if (answer !== 'asked') {
        endsAt = Math.min(endsAt, performance.now() + seconds * 1_000)
        begun.resolve()
      }
      counts[answer] = (counts[answer] ?? 0) + 1
    },
  }
  setInterval(() => process.send!(counts), TELL_MS)
  await Promise.race([attackNamed(name).attack(run), end])
  // one that has done all it wanted still holds what it opened
  await end
  return counts
}

setPriority(LEAST_PRIORITY)
process.once('message', async (task: AttackTask) => {
  const counts = await attack(task)
  process.send!(counts, () => process.exit())
})
process.once('disconnect', () => process.exit())
process.send!('ready')
