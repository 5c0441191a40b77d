import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, RATES } from '../../../src/platform/limits/admission-limits.ts'
import { makeAccountHolder } from '../../../src/platform/limits/limit-holder.ts'
import { PictureTime } from '../../../src/platform/limits/picture-time.ts'
import { Rates } from '../../../src/platform/limits/rates.ts'
import { until } from '../../support/until.ts'

// Whoever decodes many pictures waits behind all who decode few.

const holders = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => makeAccountHolder(name, String(i)))
const WORK_MS = 20

/** Accounts that always have pictures to decode, until they are told to end. */
function keepBusy(time: PictureTime, count: number, each: number) {
  let isOver = false
  const ran = new Set<string>()
  const works = holders('busy', count).flatMap((holder) =>
    Array.from({ length: each }, async () => {
      while (!isOver) {
        await time.run(holder, () => sleep(WORK_MS))
        ran.add(holder)
      }
    }),
  )
  const end = async () => {
    isOver = true
    await Promise.all(works)
  }
  return { end, ran }
}

test.each([
  [1, 10],
  [5, 4],
  [20, 2],
  [60, 1],
])(
  'beside %i accounts with %i pictures each, another waits for those that run',
  async (count, each) => {
    const time = new PictureTime()
    const { end, ran } = keepBusy(time, count, each)
    await until('each account has decoded one', () => ran.size === count)
    const done: string[] = []
    const counted = time.run(makeAccountHolder('other', '1'), async () => {
      done.push('other')
    })
    const startMs = performance.now()
    await counted
    const waitedMs = performance.now() - startMs
    await end()
    expect(waitedMs).toBeLessThan(WORK_MS * 10)
    expect(done).toEqual(['other'])
  },
)

test('one account decodes one picture at a time', async () => {
  const time = new PictureTime()
  const [holder] = holders('one', 1)
  let running = 0
  const work = async () => {
    expect(++running).toBe(1)
    await nextTurn()
    running--
  }
  await Promise.all(Array.from({ length: 10 }, () => time.run(holder!, work)))
})

test('all accounts together leave a core free', async () => {
  const time = new PictureTime()
  let [running, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++running)
    await nextTurn()
    running--
  }
  await Promise.all(holders('many', 20).map((holder) => time.run(holder, work)))
  expect(most).toBe(LIMITS.pictures.total)
})

test('a failed picture counts like others, and frees its place', async () => {
  const time = new PictureTime()
  const [holder] = holders('failing', 1)
  await expect(time.run(holder!, () => Promise.reject(new Error('torn')))).rejects.toThrow('torn')
  await time.run(holder!, async () => {})
})

test('an account that has used up its time for long is refused, another is not', async () => {
  const rates = new Rates(RATES.pictureTime)
  const time = new PictureTime(rates)
  const [holder, other] = holders('used up', 2)
  const { burst, perSecond } = RATES.pictureTime
  rates.charge(holder!, burst + 11 * perSecond)
  await expect(time.run(holder!, async () => {})).rejects.toMatchObject({ status: 429 })
  await time.run(other!, async () => {})
})

test('an account that has used up its time lately waits until it has some again', async () => {
  const rates = new Rates(RATES.pictureTime)
  const time = new PictureTime(rates)
  const [holder] = holders('used up', 1)
  rates.charge(holder!, RATES.pictureTime.burst + RATES.pictureTime.perSecond / 2)
  const startMs = performance.now()
  await time.run(holder!, async () => {})
  expect(performance.now() - startMs).toBeGreaterThan(300)
})
