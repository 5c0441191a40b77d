import { formatLocal, parseLocalTime } from '../../data/text/local-time.ts'
import { t } from '../../language/words.ts'
import type { FieldRow } from './form-row.ts'

const formatToday = () => formatLocal(Date.now()).slice(0, 10)

/** The fields of a consent that a person gave elsewhere, such as on paper. */
export const CONSENT_ROWS = [
  {
    name: 'shown',
    label: t('Text to which they agreed'),
    rows: 3,
    kind: 'area',
    placeholder: t('I want offers of the shop by text message.'),
    error: (typed) =>
      String(typed).trim() === '' ? t('Copy the text here: it is the proof.') : undefined,
  },
  {
    name: 'given_at',
    label: t('Day'),
    kind: 'date',
    read: () => formatToday(),
    // the beginning of the day, so that a STOP on this day counts
    write: (day) => parseLocalTime(`${day}T00:00`),
    error: (day) =>
      day === '' || String(day) > formatToday() ? t('Choose today or a day before.') : undefined,
  },
  {
    name: 'said',
    label: t('How they agreed'),
    placeholder: t('On the form at the desk'),
    error: (typed) => (String(typed).trim() === '' ? t('Fill this in.') : undefined),
  },
] as const satisfies readonly FieldRow[]
