import { type Repeat, repeatRequest } from '../../data/repeat.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { t } from '../../language/words.ts'
import { formatDateTime, msOf } from '../time.tsx'
import { SelectField, TextField } from './field.tsx'
import { localOf } from './when-field.tsx'

const DAILY = '0 9 * * *'
const OFTEN = [
  ['', t('Once')],
  [DAILY, t('Every day')],
  ['0 9 * * 1-5', t('Monday to Friday')],
  ['0 9 * * 1', t('Every week')],
  ['0 9 1 * *', t('Every month')],
] as const

const MISSED = [
  ['skip', t('Leave it out')],
  ['once', t('Send it late, once')],
] as const

/** Chooses how often a campaign goes out, and shows the next times while the expression is typed. */
export function RepeatField({
  value,
  onValue,
  from = '',
  isFixed = false,
  error,
}: {
  value: Repeat
  onValue: (repeat: Repeat) => void
  /** The local time before which there is no run; '' for now. */
  from?: string
  /** Whether the campaign cannot stop repeating. */
  isFixed?: boolean
  error?: string | undefined
}) {
  const { cron, missed, until } = value
  const change = (part: Partial<Repeat>) => onValue({ ...value, ...part })
  const isKnown = OFTEN.some(([choice]) => choice === cron)
  const choices = isFixed ? OFTEN.slice(1) : OFTEN
  return (
    <>
      <SelectField
        label={t('How often')}
        name="often"
        value={isKnown ? cron : 'own'}
        onValue={(often) => often !== 'own' && change({ cron: often })}
        choices={isKnown ? choices : [...choices, ['own', t('As below')]]}
      />
      {(cron !== '' || isFixed) && (
        <>
          <TextField
            label={t('Minute, hour, day, month, day of the week')}
            name="cron"
            value={cron}
            onValue={(cron) => change({ cron: cron || ' ' })}
            error={error}
            hint={<NextTimes repeat={value} from={from} />}
          />
          <div class="pairs">
            <SelectField
              label={t('If a time was missed')}
              name="missed"
              value={missed}
              onValue={(missed) => change({ missed: missed as Repeat['missed'] })}
              choices={MISSED}
              hint={t('As when the server was off.')}
            />
            <TextField
              label={t('Until')}
              name="until"
              type="date"
              value={until && localOf(msOf(until)).slice(0, 10)}
              onValue={(day) => change({ until: day && new Date(`${day}T23:59:59`).toISOString() })}
              hint={t('Empty: without an end.')}
            />
          </div>
        </>
      )}
    </>
  )
}

export function NextTimes({ repeat, from = '' }: { repeat: Repeat; from?: string }) {
  const { preview, fault } = usePreview<{ time_zone: string; times: readonly string[] }>(
    '/api/campaigns/times',
    { repeat: repeatRequest(repeat), ...(from && { scheduled_at: new Date(from).toISOString() }) },
  )
  if (fault) return <span class="wrong">{fault.message}</span>
  if (!preview) return null
  return (
    <>
      {t('In the time zone {zone}; next, by your clock: {times}', {
        zone: preview.time_zone.replaceAll('_', ' '),
        times: preview.times.map(formatDateTime).join(' · '),
      })}
    </>
  )
}
