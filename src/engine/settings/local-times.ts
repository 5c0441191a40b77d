// Local times of a time zone as instants. A local time is written as the milliseconds that UTC would have.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** What the clocks of a zone show at an instant, minus UTC. */
type Offsets = (at: number) => number

/** The offsets of a time zone, by its IANA name. */
export function readOffsets(zone: string): Offsets {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const shown = new Map<string, number>()
    for (const { type, value } of format.formatToParts(at)) shown.set(type, Number(value))
    const [year, month, day, hour, minute, second] = [
      'year',
      'month',
      'day',
      'hour',
      'minute',
      'second',
    ].map((type) => shown.get(type)!) as [number, number, number, number, number, number]
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
  }
}

/** An earlier bound of the local times that clocks may show after an instant. */
export const findEarliestLocal = (after: number, offsets: Offsets): number =>
  after + Math.min(offsets(after - DAY_MS), offsets(after + DAY_MS))

/**
 * The instant at which clocks show a local time: of two, the first. One that they leave out is the instant at
 * which they are put forward; undefined if they leave out its whole day, as Samoa did on 30 December 2011.
 */
export function findInstant(local: number, offsets: Offsets): number | undefined {
  const [before, after] = [offsets(local - DAY_MS), offsets(local + DAY_MS)]
  const shown = [local - before, local - after].filter((at) => at + offsets(at) === local)
  if (shown.length > 0) return Math.min(...shown)
  if (after - before >= DAY_MS) return undefined
  let [low, high] = [local - after, local - before]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (offsets(middle) === before) low = middle
    else high = middle
  }
  return high
}
