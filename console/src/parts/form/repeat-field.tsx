import { useState } from 'preact/hooks'
import { listFormat } from '../../data/list-names.ts'
import {
  DAYS_OF_RUNS,
  describeUsualRuns,
  makeRepeatRequest,
  NO_TIME,
  type Repeat,
} from '../../data/repeat.ts'
import { formatLocal, parseDate, parseLocalTime } from '../../data/text/local-time.ts'
import { nameMonth } from '../../data/text/relative-time.ts'
import { HERE } from '../../data/time-zones.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { t } from '../../language/words.ts'
import { formatDateTime } from '../time.tsx'
import { SelectField, TextField } from './field.tsx'

const OWN = 'own'

const MISSED = [
  ['skip', t('Leave it out')],
  ['once', t('Send it late, once')],
] as const

/** Fields to choose when a campaign repeats. They show when the next runs would be. */
export function RepeatField({
  value,
  onValue,
  from = '',
  isFixed = false,
  error,
}: {
  value: Repeat
  onValue: (repeat: Repeat) => void
  /** The earliest local time of the first run; '' if it may begin now. */
  from?: string
  /** Whether the user cannot choose "Once", because the campaign repeats already. */
  isFixed?: boolean
  error?: string
}) {
  const { cron, missed, until } = value
  const change = (part: Partial<Repeat>) => onValue({ ...value, ...part })
  const [isOwn, setOwn] = useState(false)
  const usual = isOwn ? undefined : describeUsualRuns(cron)
  const put = (days: string, time = '09:00') => {
    const [hour, minute] = time ? time.split(':').map(Number) : NO_TIME
    change({ cron: `${minute} ${hour} ${days}` })
  }
  const choose = (often: string) => {
    setOwn(often === OWN)
    if (often === '') change({ cron: '' })
    // at first the time that was chosen for a single send
    else if (often !== OWN)
      put(often, describeUsualRuns(cron)?.time ?? (from.slice(11, 16) || undefined))
    else if (cron === '') put(DAYS_OF_RUNS[0][0])
  }
  const look =
    usual?.time === ''
      ? { error: t('Choose a time.') }
      : { error, hint: <NextTimes repeat={value} from={from} /> }
  return (
    <>
      <SelectField
        label={t('How often')}
        name="often"
        value={cron === '' ? '' : (usual?.days ?? OWN)}
        onValue={choose}
        choices={[
          ...(isFixed ? [] : [['', t('Once')] as const]),
          ...DAYS_OF_RUNS,
          [OWN, t('By a cron expression')],
        ]}
      />
      {(cron !== '' || isFixed) && (
        <>
          {usual ? (
            <TextField
              key="time"
              label={t('At')}
              name="time"
              type="time"
              value={usual.time}
              onValue={(time) => put(usual.days, time)}
              {...look}
            />
          ) : (
            <TextField
              key="cron"
              label={t('Minute, hour, day, month, day of the week')}
              name="cron"
              value={cron}
              onValue={(cron) => change({ cron: cron || ' ' })}
              {...look}
            />
          )}
          <div class="pairs">
            <SelectField
              label={t('If a run was missed')}
              name="missed"
              value={missed}
              onValue={(missed) => change({ missed: missed as Repeat['missed'] })}
              choices={MISSED}
              hint={t('For example, because the server was off.')}
            />
            <TextField
              label={t('Until#day')}
              name="until"
              type="date"
              value={until && formatLocal(parseDate(until)).slice(0, 10)}
              onValue={(day) => change({ until: parseLocalTime(`${day}T23:59:59`) })}
              hint={t('Empty: without an end.')}
            />
          </div>
        </>
      )}
    </>
  )
}

export function NextTimes({ repeat, from = '' }: { repeat: Repeat; from?: string }) {
  const { preview, fault } = usePreview<{
    time_zone: string
    times: readonly string[]
    skipped_months: readonly number[]
  }>('/api/campaigns/times', {
    repeat: makeRepeatRequest(repeat),
    ...(parseLocalTime(from) && { scheduled_at: parseLocalTime(from) }),
  })
  if (fault) return <span class="wrong">{fault.message}</span>
  if (!preview) return <span class="muted">{t('Loading')}</span>
  const times = preview.times.map(formatDateTime).join(' · ')
  const zone = preview.time_zone.replaceAll('_', ' ')
  const skipped = preview.skipped_months.map(nameMonth)
  return (
    <>
      {preview.time_zone === HERE
        ? t('Next: {times}', { times })
        : t('In the time zone {zone}; next, by your clock: {times}', { zone, times })}
      {skipped.length > 0 && (
        <>
          <br />
          {t('Left out, because the month is too short: {months}', {
            months: listFormat.format(skipped),
          })}
        </>
      )}
    </>
  )
}
