import { useCountry } from '../../data/phone/country.ts'
import { formatPhone, readPhone } from '../../data/phone/phone-numbers.ts'
import { phoneFaultWords } from '../../data/phone/phone-words.ts'
import type { Line } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { NumberCountry } from '../../parts/form/number-country.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'
import { readPrefixes } from './prefixes.ts'

const limit = (name: string, label: string) => ({ name, label, placeholder: t('No limit') })

/** Edits a line: name, whether it sends, limits and prefixes. */
export function LineDialog({ line, onClose }: { line: Line; onClose: () => void }) {
  const [country, setCountry] = useCountry()
  // a stored number is valid: a program may have stored it
  const stored = formatPhone(line.number)
  const read = (typed: string) =>
    typed.trim() === '' || typed === stored
      ? { phone: typed.trim() && line.number }
      : readPhone(typed, country)
  const rows: readonly FormRow[] = [
    {
      name: 'enabled',
      label: t('Use this line'),
      hint: t('When it is off, its waiting texts go to other lines.'),
    },
    { name: 'label', label: t('Label'), hint: t('What you call it, such as Shop or Austria.') },
    {
      ...{ name: 'number', label: t('Number'), kind: 'tel', read: () => stored },
      hint: t('A number that the phone reports replaces it.'),
      write: (typed) => read(String(typed)).phone,
      error: (typed) => {
        const { fault } = { fault: undefined, ...read(String(typed)) }
        return fault && `${phoneFaultWords(fault)}.`
      },
    },
    () => <NumberCountry value={country} onValue={setCountry} />,
    [limit('per_minute', t('Texts a minute')), limit('daily_limit', t('Texts a day'))],
    [limit('monthly_limit', t('Texts a month')), limit('monthly_recipients', t('Different numbers a month'))],
    () => (
      <p class="note">
        {t(
          'Texts for which no line has room wait until one has. Days and months are those of your time zone.',
        )}
      </p>
    ),
    {
      ...{ name: 'prefixes', label: t('For numbers that begin with'), placeholder: '+43, +4366' },
      hint: t('Empty: for all. Other lines send to these numbers only if no such line can.'),
      read: (prefixes) => String(prefixes).replaceAll(',', ', '),
      write: (typed) => readPrefixes(String(typed)),
      error: (typed) =>
        readPrefixes(String(typed)) === undefined
          ? t('Write beginnings such as +43 or +4366, with commas between.')
          : undefined,
    },
  ]
  return (
    <Dialog title={t('Change the line')} onClose={onClose}>
      <RecordForm
        collection="lines"
        record={line}
        rows={rows}
        saved={t('Line saved')}
        {...{ onSaved: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}
