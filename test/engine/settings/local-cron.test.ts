import { parseCron, readOffsets } from '../../../src/engine/settings/cron.ts'

// Times of a cron expression on the days when clocks are put forward or back, in every zone.

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const runsFrom = (zone: string, cron: string, from: string, count = 3) =>
  parseCron(cron, zone)
    .nextRuns(count, new Date(from))
    .map((at) => at.toISOString().replace(':00.000Z', ''))
    .join(' ')

test.each<[string, string, string, string]>([
  ['America/Nuuk', '30 23 * * *', '2026-03-28T12:00Z', '2026-03-29T01:00 2026-03-30T00:30'],
  ['America/Nuuk', '0 23 * * 6', '2026-03-28T12:00Z', '2026-03-29T01:00 2026-04-05T00:00'],
  ['America/Nuuk', '15,45 23 28 3 *', '2026-03-28T12:00Z', '2026-03-29T01:00 2027-03-29T00:15'],
  ['America/Scoresbysund', '59 23 * * *', '2027-03-27T12:00Z', '2027-03-28T01:00 2027-03-29T00:59'],
  ['Asia/Dhaka', '30 23 * * *', '2009-06-19T00:00Z', '2009-06-19T17:00 2009-06-20T16:30'],
  ['Asia/Pyongyang', '45 23 * * *', '2018-05-04T00:00Z', '2018-05-04T15:00 2018-05-05T14:45'],
  ['America/Santiago', '30 0 * * *', '2026-09-05T12:00Z', '2026-09-06T04:00 2026-09-07T03:30'],
  ['Africa/Cairo', '0 0 * * *', '2026-04-23T12:00Z', '2026-04-23T22:00 2026-04-24T21:00'],
  ['Asia/Beirut', '30 0 * * *', '2026-03-28T12:00Z', '2026-03-28T22:00 2026-03-29T21:30'],
  ['America/Havana', '@daily', '2026-03-07T12:00Z', '2026-03-08T05:00 2026-03-09T04:00'],
  ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T10:00Z', '2026-10-03T15:30 2026-10-04T15:15'],
  ['Antarctica/Troll', '30 1 * * *', '2026-03-28T12:00Z', '2026-03-29T01:00 2026-03-29T23:30'],
  ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', '2026-03-29T01:00 2026-03-30T00:30'],
  ['Europe/Berlin', '0,30 2-3 * * *', '2026-03-28T12:00Z', '2026-03-29T01:00 2026-03-29T01:30'],
  // the repeated hour
  ['America/Nuuk', '30 23 * * *', '2026-10-24T12:00Z', '2026-10-25T00:30 2026-10-26T01:30'],
  ['Africa/Cairo', '30 23 * * *', '2026-10-29T12:00Z', '2026-10-29T20:30 2026-10-30T21:30'],
  ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T10:00Z', '2026-04-04T14:45 2026-04-05T15:15'],
  ['Antarctica/Troll', '30 1,2 * * *', '2026-10-24T12:00Z', '2026-10-24T23:30 2026-10-25T00:30'],
  // a day that did not exist has no run
  ['Pacific/Apia', '0 12 * * *', '2011-12-29T00:00Z', '2011-12-29T22:00 2011-12-30T22:00'],
  ['Pacific/Fakaofo', '30 23 * * *', '2011-12-30T00:00Z', '2011-12-30T10:30 2011-12-31T10:30'],
])('in %s, %s runs once for each day', (zone, cron, from, runs) => {
  expect(runsFrom(zone, cron, from, 2)).toBe(runs)
})

test.each([
  ['America/Nuuk', '*/30 23 * * *', '2026-03-28T12:00Z', '2026-03-30T00:00 2026-03-30T00:30'],
  ['Europe/Berlin', '*/30 2 * * *', '2026-10-25T00:10Z', '2026-10-25T00:30 2026-10-25T01:00'],
  ['UTC', '30 2 * * *', '2026-03-28T12:00Z', '2026-03-29T02:30 2026-03-30T02:30'],
])('in %s, the steps of %s run as real time passes', (zone, cron, from, runs) => {
  expect(runsFrom(zone, cron, from, 2)).toBe(runs)
})

test('a run after a time within the gap is the next one', () => {
  expect(runsFrom('America/Nuuk', '30 23 * * *', '2026-03-29T01:00Z', 1)).toBe('2026-03-30T00:30')
  expect(runsFrom('America/Nuuk', '30 23 * * *', '2026-03-29T00:59:59.999Z', 1)).toBe(
    '2026-03-29T01:00',
  )
})

test('a date that does not exist has no run', () => {
  expect(parseCron('0 0 31 2 *', 'America/Nuuk').nextRun(new Date())).toBeNull()
})

/** The instants from 2024 to 2028 at which the clocks of a zone are put forward or back. */
function* listChanges(zone: string) {
  const offsets = readOffsets(zone)
  let before = offsets(Date.UTC(2024, 0))
  for (let at = Date.UTC(2024, 0); at < Date.UTC(2028, 0); at += 7 * DAY_MS) {
    const after = offsets(at + 7 * DAY_MS)
    if (after === before) continue
    let [low, high] = [at, at + 7 * DAY_MS]
    while (high - low > MINUTE_MS) {
      const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS
      if (offsets(middle) === before) low = middle
      else high = middle
    }
    yield { at: high, before, after }
    before = after
  }
}

test('a daily time runs once on each day of each zone, also when the clocks change', () => {
  let changes = 0
  for (const zone of Intl.supportedValuesOf('timeZone'))
    for (const { at, before, after } of listChanges(zone)) {
      changes++
      const size = Math.abs(after - before)
      const first = at + Math.min(before, after)
      for (const local of [first, first + size / 2, first + size - MINUTE_MS]) {
        const time = new Date(local)
        const cron = `${time.getUTCMinutes()} ${time.getUTCHours()} * * *`
        const runs = parseCron(cron, zone).nextRuns(3, new Date(at - 1.5 * DAY_MS))
        const near = runs.filter((run) => Math.abs(run.getTime() - at) <= size)
        expect(near, `${zone} ${cron} ${runs.map((run) => run.toISOString())}`).toHaveLength(1)
      }
    }
  expect(changes).toBeGreaterThan(1_000)
})
