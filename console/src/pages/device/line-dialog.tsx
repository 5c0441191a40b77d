import { formatPhone } from '#portable/phone/format-phone.ts'
import { readTypedPhone } from '#portable/phone/read-typed-phone.ts'
import { useCountry } from '../../data/phone/default-country.ts'
import { describePhoneFault } from '../../data/phone/phone-words.ts'
import type { Line } from '../../data/record-types.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { NumberCountry } from '../../parts/form/country-field.tsx'
import { makePrefixesRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { makePriceRows } from './price-rows.ts'

const makeLimitRow = (name: string, label: string) => ({ name, label, placeholder: t('No limit') })

export function LineDialog({ line, onClose }: { line: Line; onClose: () => void }) {
  const [country, setCountry] = useCountry()
  // the stored number is not checked: a program may have stored an unusual one
  const stored = formatPhone(line.number)
  const read = (typed: string) =>
    typed.trim() === '' || typed === stored
      ? { phone: typed.trim() && line.number }
      : readTypedPhone(typed, country)
  const rows: readonly FormRow[] = [
    {
      name: 'enabled',
      label: t('Use this line'),
      hint: t(
        'The waiting texts of a line that is off go to other lines, but not those for which this line was chosen.',
      ),
    },
    {
      name: 'label',
      label: t('Label#line'),
      hint: t('Your name for the line, such as Shop or Austria.'),
    },
    {
      name: 'number',
      label: t('Number'),
      kind: 'tel',
      read: () => stored,
      hint: t('A number that the phone reports replaces this one.'),
      write: (typed) => read(String(typed)).phone,
      error: (typed) => {
        const { fault } = { fault: undefined, ...read(String(typed)) }
        return fault && `${describePhoneFault(fault)}.`
      },
    },
    () => <NumberCountry value={country} onValue={setCountry} />,
    [
      makeLimitRow('per_minute', t('Texts a minute')),
      makeLimitRow('daily_limit', t('Texts a day')),
    ],
    [
      makeLimitRow('monthly_limit', t('Texts a month')),
      makeLimitRow('monthly_recipients', t('Different numbers a month')),
    ],
    () => (
      <p class="note">
        {t(
          'Texts for which no line has room wait until one has. Days and months are those of your time zone.',
        )}
      </p>
    ),
    makePrefixesRow(
      'prefixes',
      t('For numbers that begin with'),
      t('Empty: for all. Other lines send to these numbers only if no such line can.'),
    ),
    {
      name: 'mms',
      label: t('Pictures (MMS)'),
      choices: [
        ['', t('As the device says')],
        ['on', t('Sends pictures')],
        ['off', t('Sends no pictures')],
      ],
    },
    makePriceRows(ownSettings.value?.currency ?? ''),
  ]
  return (
    <Dialog title={t('Change the line')} onClose={onClose}>
      <RecordForm
        collection="lines"
        record={line}
        rows={rows}
        saved={t('Line saved')}
        onClose={onClose}
      />
    </Dialog>
  )
}
