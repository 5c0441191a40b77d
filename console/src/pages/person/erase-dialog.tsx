import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { postRequest } from '../../data/client.ts'
import {
  describeRequestFault,
  type FoundData,
  listCountedKinds,
  makeRequestPath,
  type PersonRequest,
} from '../../data/personal-data.ts'
import { useTask } from '../../data/use/use-task.ts'
import { formatNumber, t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckList } from '../../parts/form/choices.tsx'
import { TextArea, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { goToPage } from '../../router.ts'
import './erase-dialog.css'

const LAST_DIGITS = 4

/** Asks for the reason and the last digits of the number, and begins the erasure. */
export function EraseDialog({ found, onClose }: { found: FoundData; onClose: () => void }) {
  const { number, name, places, linked } = found
  const [others, setOthers] = useState<readonly string[]>([])
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [isTried, setTried] = useState(false)
  const start = useTask(async () => {
    const erase = (whose: string) =>
      postRequest<PersonRequest>('/api/person/erase', { number: whose, reason: reason.trim() })
    for (const other of others) await erase(other)
    const { id } = await erase(number)
    onClose()
    goToPage(makeRequestPath(id))
  })
  const hasReason = reason.trim() !== ''
  const isSure = typed.trim() === number.slice(-LAST_DIGITS)
  const submit = () => {
    setTried(true)
    return hasReason && isSure && start.run()
  }
  return (
    <Dialog
      title={t('Erase the data of {person}?', { person: name || formatPhone(number) })}
      onClose={onClose}
      wide
    >
      <Form
        onSubmit={submit}
        fault={
          start.fault && { ...start.fault, message: describeRequestFault(start.fault.message) }
        }
      >
        <Notice kind="warning">{t('Nobody can bring the data back, except from a backup.')}</Notice>
        <div class="person-erasure">
          <Goes places={places} />
          <Stays />
        </div>
        {linked.length > 0 && (
          <CheckList
            legend={t('Erase other numbers of this person, too')}
            name="linked"
            choices={linked.map((one) => [one.number, formatPhone(one.number)])}
            chosen={others}
            onChosen={setOthers}
          />
        )}
        <TextArea
          label={t('Why is the data erased?')}
          name="reason"
          rows={2}
          value={reason}
          onValue={setReason}
          hint={t(
            'The reason stays, with your name and the time. The server hides name and number in it.',
          )}
          error={isTried && !hasReason ? t('Give a reason first.') : undefined}
        />
        <TextField
          label={t('Type the last four digits of the number to confirm')}
          name="confirm"
          inputMode="numeric"
          autocomplete="off"
          maxLength={LAST_DIGITS}
          value={typed}
          onValue={setTyped}
          hint={tx('The number is {number}.', {
            number: <span dir="ltr">{formatPhone(number)}</span>,
          })}
          error={isTried && !isSure ? t('These are not the last four digits.') : undefined}
        />
        <FormActions kind="danger" icon="trash" busy={start.busy} onCancel={onClose}>
          {t('Erase for good')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

function Goes({ places }: Pick<FoundData, 'places'>) {
  const kinds = listCountedKinds(
    Object.fromEntries(places.map(({ place, count }) => [place, count])),
  )
  return (
    <section>
      <h3>{t('What goes')}</h3>
      <ul>
        {kinds.map(([[place, words], count]) => (
          <li key={place}>
            {words}: {formatNumber(count)}
          </li>
        ))}
        <li>{t('The number in texts to others, in notes and in drafts')}</li>
      </ul>
    </section>
  )
}

const Stays = () => (
  <section>
    <h3>{t('What stays')}</h3>
    <ul>
      <li>{t('Messages without number, text and files, so that counts stay right')}</li>
      <li>{t('A hash of the number on the stop list, and hashes of records of consent')}</li>
      <li>{t('Who asked for the erasure, when and why')}</li>
      <li>{t('Backups, until you delete them')}</li>
      <li>{t('Copies on phones, at carriers and on your other servers')}</li>
    </ul>
  </section>
)
