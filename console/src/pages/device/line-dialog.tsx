import { pb } from '../../data/client.ts'
import { formatPhone, readPhone } from '../../data/phone/phone-numbers.ts'
import { phoneFaultWords } from '../../data/phone/phone-words.ts'
import { useCountry } from '../../data/phone/use-country.ts'
import type { Line } from '../../data/records.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { NumberCountry } from '../../parts/form/number-country.tsx'
import { toast } from '../../parts/toast.tsx'
import { readPrefixes } from './prefixes.ts'

const LIMITS = [
  ['per_minute', t('Texts a minute')],
  ['daily_limit', t('Texts a day')],
  ['monthly_limit', t('Texts a month')],
  ['monthly_recipients', t('Different numbers a month')],
] as const
type Limit = (typeof LIMITS)[number][0]

const NAMES = ['label', 'number', 'prefixes', ...LIMITS.map(([name]) => name)]

/** The editable fields of a line. */
type Typed = Record<'label' | 'number' | 'prefixes' | Limit, string> & { enabled: boolean }

const typedOf = (line: Line): Typed => ({
  label: line.label,
  number: formatPhone(line.number),
  enabled: line.enabled,
  prefixes: line.prefixes.replaceAll(',', ', '),
  per_minute: limitText(line.per_minute),
  daily_limit: limitText(line.daily_limit),
  monthly_limit: limitText(line.monthly_limit),
  monthly_recipients: limitText(line.monthly_recipients),
})

const limitText = (limit: number) => (limit > 0 ? String(limit) : '')

/** Edits a line: name, whether it sends, limits and prefixes. */
export function LineDialog({ line, onClose }: { line: Line; onClose: () => void }) {
  const draft = useDraft(`line.${line.id}`, typedOf(line))
  const { label, number, enabled, prefixes } = draft.value
  const { changes } = draft
  const [country, setCountry] = useCountry()
  // a stored number is valid: a program may have stored it
  const phone = changes.number?.trim() ? readPhone(changes.number, country) : { phone: '' }
  const beginnings = changes.prefixes === undefined ? '' : readPrefixes(changes.prefixes)
  const save = useTask(async () => {
    const limits = LIMITS.flatMap(([name]) =>
      changes[name] === undefined ? [] : [[name, Number(changes[name])]],
    )
    await pb.collection('lines').update(line.id, {
      ...changes,
      ...(changes.number !== undefined && { number: phone.phone }),
      ...(changes.prefixes !== undefined && { prefixes: beginnings }),
      ...Object.fromEntries(limits),
    })
    draft.saved()
    toast(t('Line saved'))
    onClose()
  })
  const isRight = !phone.fault && beginnings !== undefined
  const cancel = () => {
    draft.discard()
    onClose()
  }
  return (
    <Dialog title={t('Change the line')} onClose={onClose}>
      <Form onSubmit={() => isRight && save.run()} fault={save.fault} names={NAMES}>
        <CheckField
          label={t('Sends texts. Off: what it has not sent goes to other lines')}
          name="enabled"
          value={enabled}
          onValue={(isOn) => draft.change({ enabled: isOn })}
        />
        <TextField
          label={t('Label')}
          name="label"
          value={label}
          onValue={(typed) => draft.change({ label: typed })}
          fault={save.fault}
          hint={t('What you call it, such as Shop or Austria.')}
        />
        <TextField
          label={t('Number')}
          name="number"
          type="tel"
          value={number}
          onValue={(typed) => draft.change({ number: typed })}
          fault={save.fault}
          error={phone.fault && `${phoneFaultWords(phone.fault)}.`}
          hint={t('A number that the phone reports replaces it.')}
        />
        <NumberCountry value={country} onValue={setCountry} />
        <div class="device-limits">
          {LIMITS.map(([name, words]) => (
            <TextField
              key={name}
              label={words}
              name={name}
              type="number"
              min={0}
              placeholder={t('No limit')}
              value={draft.value[name]}
              onValue={(typed) => draft.change({ [name]: typed })}
              fault={save.fault}
            />
          ))}
        </div>
        <p class="note">
          {t(
            'Texts for which no line has room wait until one has. Days and months are those of your time zone.',
          )}
        </p>
        <TextField
          label={t('For numbers that begin with')}
          name="prefixes"
          placeholder="+43, +4366"
          value={prefixes}
          onValue={(typed) => draft.change({ prefixes: typed })}
          fault={save.fault}
          error={
            beginnings === undefined
              ? t('Write beginnings such as +43 or +4366, with commas between.')
              : undefined
          }
          hint={t('Empty: for all. Other lines send to these numbers only if no such line can.')}
        />
        <FormActions busy={save.busy} onCancel={cancel}>
          {t('Save')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
