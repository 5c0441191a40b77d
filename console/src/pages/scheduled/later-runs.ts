import { useEffect, useState } from 'preact/hooks'
import { postRequest } from '../../data/client.ts'
import type { Campaign } from '../../data/record-types.ts'
import { makeRepeatRequest, type Repeat } from '../../data/repeat.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { useLatest } from '../../data/use/use-latest.ts'
import { workInParallel } from '../../data/use/use-task.ts'
import { addDays, type Period } from './periods.ts'

/** A run of a repeating campaign after its next one. */
export interface LaterRun {
  readonly campaign: Campaign
  readonly at: string
}

type Repeating = Campaign & { readonly repeat: Repeat }

const isRepeating = (campaign: Campaign): campaign is Repeating =>
  campaign.status === 'repeating' && campaign.repeat !== null

/** The most times of an answer. */
const MOST_TIMES = 100
/** More requests for one campaign would show no more than that it runs many times a day. */
const MOST_REQUESTS = 8

/** The runs of repeating campaigns in a period, without the next run of each. None without a period. */
export function useLaterRuns(campaigns: readonly Campaign[], period: Period): readonly LaterRun[] {
  const repeating = campaigns.filter(isRepeating)
  const facts = repeating.map(({ id, scheduled_at, repeat }) => [id, scheduled_at, repeat])
  const question = JSON.stringify([period, facts])
  const [shown, setShown] = useState<{ question: string; runs: readonly LaterRun[] }>()
  const begin = useLatest()
  useEffect(() => {
    if (period.until === '') return
    const isLatest = begin()
    void readRuns(repeating, period).then((runs) => isLatest() && setShown({ question, runs }))
    return () => void begin()
  }, [question])
  return shown?.question === question ? shown.runs : []
}

async function readRuns(campaigns: readonly Repeating[], period: Period): Promise<LaterRun[]> {
  const runs: LaterRun[] = []
  await workInParallel(campaigns, async (campaign) => {
    // a campaign without a time in the period is refused
    const times = await readTimes(campaign, period).catch(() => [])
    runs.push(...times.map((at) => ({ campaign, at })))
  })
  return runs.sort((a, b) => a.at.localeCompare(b.at))
}

/** The later times of a campaign in all weeks that the period touches, and a day more for the time zone. */
async function readTimes({ repeat, scheduled_at }: Repeating, period: Period): Promise<string[]> {
  const begins = Date.parse(addDays(period.from, -7))
  const ends = Date.parse(addDays(period.until, 8))
  const last = repeat.until ? Math.min(ends, parseDate(repeat.until)) : ends
  let from = Math.max(begins, parseDate(scheduled_at) + 1)
  const found: string[] = []
  for (let i = 0; i < MOST_REQUESTS && from <= last; i++) {
    const { times } = await postRequest<{ times: readonly string[] }>('/api/campaigns/times', {
      repeat: makeRepeatRequest(repeat),
      scheduled_at: new Date(from).toISOString(),
      count: MOST_TIMES,
    })
    found.push(...times.filter((at) => parseDate(at) < ends))
    if (times.length < MOST_TIMES) break
    from = parseDate(times.at(-1)!) + 1
  }
  return found
}
