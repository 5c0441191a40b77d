import fc from 'fast-check'
import { NEXT, type Status } from '../../../../src/gateway/base/message-status.ts'
import type { Report } from '../../../../src/gateway/messages/queue/apply-report-groups.ts'
import { applyReports } from '../../../../src/gateway/messages/queue/apply-reports.ts'
import { claimMessages } from '../../../../src/gateway/messages/queue/claim-messages.ts'
import { sweepQueue } from '../../../../src/gateway/messages/queue/sweep-queue.ts'
import { assign, makeDevice, makeUser, testStore } from '../../../support/database/queue.ts'

/** So many sequences are tried; REPORT_SEQUENCES=100000 takes some minutes. */
const SEQUENCES = Number(process.env.REPORT_SEQUENCES || 400)
/** Sequences that go side by side, a message each, to save round trips. */
const ABREAST = 100
const MAX_MOVES = 12
const DAY_MS = 86_400_000

/** What may happen to a message, from outside, in any order. */
type Move = { readonly kind: 'claim' } | { readonly kind: 'silence' } | SomeReport

/** `by`: one of the user's two devices, or 2, a stranger's. `daysOff`: by how much its clock is wrong. */
interface SomeReport {
  readonly kind: 'report'
  readonly by: number
  readonly status: Report['status']
  readonly attempt: number
  readonly notSent: boolean
  readonly daysOff: number
}

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'claim' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'silence' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      by: fc.integer({ min: 0, max: 2 }),
      status: fc.constantFrom('sent' as const, 'delivered' as const, 'failed' as const),
      attempt: fc.integer({ min: 0, max: 3 }),
      notSent: fc.boolean(),
      daysOff: fc.integer({ min: -1, max: 1 }),
    }),
  },
)

/** Where a message is, as the table of statuses lets it be. */
interface Place {
  readonly status: Status
  readonly device: string
  readonly attempt: number
}

const store = await testStore()
const user = await makeUser(store)
const stranger = await makeUser(store)
const devices = await Promise.all([user, user, stranger].map((owner) => makeDevice(store, owner)))

test(`no sequence of claims, reports and silence moves a message backwards or against the state table (${SEQUENCES})`, async () => {
  const sequences = fc.array(fc.tuple(fc.array(move, { maxLength: MAX_MOVES }), fc.boolean()), {
    minLength: ABREAST,
    maxLength: ABREAST,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(sequences, async (all) => {
      const ids = [...(await accept(all, false)), ...(await accept(all, true))]
      const moves = [...all.filter(([, twice]) => !twice), ...all.filter(([, twice]) => twice)].map(
        ([m]) => m,
      )
      let places = await look(ids)
      for (let turn = 0; turn < MAX_MOVES; turn++) {
        const now = new Map(
          ids.flatMap((id, i) => (moves[i]![turn] ? [[id, moves[i]![turn]!] as const] : [])),
        )
        await makeMoves(now)
        const next = await look(ids)
        for (const [id, place] of next) checkStep(places.get(id)!, place, now.get(id))
        places = next
      }
      await checkDates(ids)
      await store.db.query('delete from sms_dispatch')
    }),
    { numRuns: Math.ceil(SEQUENCES / ABREAST), endOnFailure: true },
  )
}, 3_600_000)

const accept = (all: readonly (readonly [unknown, boolean])[], twice: boolean) =>
  assign(store, devices[0]!, all.filter(([, isTwice]) => isTwice === twice).length, {
    at_least_once: String(twice),
  })

/** The reports first, then the leases that run out, then the claims: each message makes one move at most. */
async function makeMoves(moves: ReadonlyMap<string, Move>): Promise<void> {
  const of = (kind: Move['kind']) =>
    [...moves].filter(([, at]) => at.kind === kind).map(([id]) => id)
  for (const [by, device] of devices.entries()) {
    const reports = [...moves].filter(([, at]) => at.kind === 'report' && at.by === by)
    await applyReports(
      store,
      device,
      reports.map(([id, at]) => toReport(id, at as SomeReport)),
      600,
    )
  }
  await store.db.query('update sms_dispatch set lease_until = now() where message = any($1)', [
    of('silence'),
  ])
  await sweepQueue(store, 600)
  await store.db.query(
    `update sms_dispatch set due_at = case when message = any($1) then now() else now() + interval '1 hour' end`,
    [of('claim')],
  )
  for (const device of devices) await claimMessages(store, device, ABREAST * 2, 120)
}

const toReport = (id: string, { status, attempt, notSent, daysOff }: SomeReport): Report => ({
  id,
  attempt,
  status,
  at: Date.now() + daysOff * DAY_MS,
  not_sent: notSent && status === 'failed',
})

async function look(ids: readonly string[]): Promise<Map<string, Place>> {
  const { rows } = await store.db.query(
    `select m.id, m.status, m.device, coalesce(d.attempt, e.attempt, 0) from sms_messages m
      left join sms_dispatch d on d.message = m.id
      left join lateral (select max(attempt) as attempt from sms_events e where e.message = m.id) e on true
      where m.id = any($1)`,
    [ids],
  )
  return new Map(
    rows.map(([id, status, device, attempt]) => [String(id), { status, device, attempt } as Place]),
  )
}

function checkStep(before: Place, after: Place, made: Move | undefined): void {
  const said = `${JSON.stringify(before)} → ${JSON.stringify(after)} by ${JSON.stringify(made)}`
  if (after.status === before.status && after.attempt === before.attempt) return
  expect(made, said).toBeDefined()
  expect(NEXT[before.status], said).toContain(after.status)
  expect(after.attempt, said).toBe(before.attempt + (after.status === 'sending' ? 1 : 0))
  if (made?.kind !== 'report') return
  expect(made.attempt, said).toBe(before.attempt)
  expect(devices[made.by]!.id, said).toBe(before.device)
}

/** Whatever the clocks of devices say: nothing was sent before it was accepted, or tomorrow. */
async function checkDates(ids: readonly string[]): Promise<void> {
  const { rows } = await store.db.query(
    `select id, created, sent_at, delivered_at from sms_messages
      where id = any($1) and (sent_at <> '' and sent_at not between created and pb_text(now())
        or delivered_at <> '' and delivered_at not between created and pb_text(now()))`,
    [ids],
  )
  expect(rows).toEqual([])
}
