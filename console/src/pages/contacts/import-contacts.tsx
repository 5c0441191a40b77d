import { useMemo, useRef, useState } from 'preact/hooks'
import { guessColumns } from '#portable/phone/guess-columns.ts'
import { pb } from '../../data/client.ts'
import { findField } from '../../data/contact-fields.ts'
import { joinBadRows, type Sheet } from '../../data/files/sheet.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import type { ContactField, ContactGroup } from '../../data/record-types.ts'
import { readUserId } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ChooseFile } from '../../parts/form/choose-file.tsx'
import { Actions, Button, FaultNotice, Notice } from '../../parts/form/form.tsx'
import { Facts, Progress } from '../../parts/page.tsx'
import { CONSENT_ROWS } from '../../parts/rows/consent-rows.ts'
import { makeStored } from '../../parts/rows/values.ts'
import { type Plan, planImport } from './import-plan.ts'
import { listKeptRows, NEW_GROUP, Preview, type Wishes } from './import-preview.tsx'
import { type Outcome, runImport } from './import-run.ts'
import { LeftOut } from './left-out.tsx'

const NOTHING: Outcome = { added: 0, changed: 0, left: 0, failed: [] }

export function ImportContacts({
  groups,
  fields,
  onClose,
}: {
  groups: readonly ContactGroup[]
  fields: readonly ContactField[]
  onClose: () => void
}) {
  const [sheet, setSheet] = useState<Sheet>()
  const [wished, setWishes] = useState<Wishes>()
  // that of the account is known only when its settings have been read
  const country = wished?.country || defaultCountry.value
  const wishes = useMemo(() => wished && { ...wished, country }, [wished, country])
  const [soFar, setSoFar] = useState(NOTHING)
  const [done, setDone] = useState<Outcome>()
  const stop = useRef(new AbortController())
  const plan = useMemo(
    () =>
      sheet &&
      wishes &&
      planImport(sheet, wishes.columns, wishes.country, listKeptRows(wishes), fields),
    [sheet, wishes, fields],
  )
  const work = useTask(async () => {
    if (!plan || !wishes) return
    const user = readUserId()
    const group = await findOrMakeGroup(wishes, user)
    const consent = wishes.consent && makeStored(CONSENT_ROWS, wishes.consent)
    const options = { user, group, overwrite: wishes.overwrite, consent }
    setDone(await runImport(plan.good, options, stop.current.signal, setSoFar))
  })
  const choose = (next: Sheet) => {
    setSheet(next)
    setWishes({
      columns: guessColumns(next.head, next.rows, country),
      // columns of the account's fields are kept, others only if the person says so
      kept: next.head.flatMap((title, at) => (findField(fields, title) ? [at] : [])),
      country: wished?.country ?? '',
      group: '',
      newGroup: '',
      overwrite: true,
      consent: undefined,
    })
  }
  const close = () => {
    stop.current.abort()
    onClose()
  }
  const count = soFar.added + soFar.changed + soFar.left + soFar.failed.length
  return (
    <Dialog title={t('Import contacts')} onClose={close} wide>
      {!sheet && (
        <ChooseFile
          hint={t('One row a contact, with a column of numbers and one of names.')}
          placeholder={t('Anna, +49 151 12345678\nBen, +44 7700 900123')}
          onChoose={choose}
          onClose={onClose}
        />
      )}
      <FaultNotice fault={work.fault} />
      {sheet && plan && wishes && !work.busy && !done && (
        <Preview
          sheet={sheet}
          plan={plan}
          wishes={wishes}
          groups={groups}
          onWish={setWishes}
          onRun={() => void work.run()}
          onBack={() => setSheet(undefined)}
        />
      )}
      {plan && work.busy && (
        <>
          <Progress
            value={count}
            max={plan.good.length}
            label={t('{count} of {total} contacts', { count, total: plan.good.length })}
          />
          <Actions>
            <Button onClick={() => stop.current.abort()}>{t('Stop')}</Button>
          </Actions>
        </>
      )}
      {sheet && plan && done && (
        <Report
          sheet={sheet}
          plan={plan}
          outcome={done}
          stopped={stop.current.signal.aborted}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

/** Returns the id of the group for imported contacts; '' for none. Creates the group if it is a new one. */
async function findOrMakeGroup({ group, newGroup }: Wishes, user: string): Promise<string> {
  if (group !== NEW_GROUP) return group
  const made = await pb
    .collection<ContactGroup>('contact_groups')
    .create({ user, name: newGroup.trim() })
  return made.id
}

function Report({
  sheet,
  plan,
  outcome,
  stopped,
  onClose,
}: {
  sheet: Sheet
  plan: Plan
  outcome: Outcome
  stopped: boolean
  onClose: () => void
}) {
  const failed = outcome.failed.map(({ contact: { row }, why }) => ({ row, why }))
  const bad = joinBadRows(sheet, plan.bad, failed)
  const figures = [
    [t('Added'), formatNumber(outcome.added)],
    [t('Changed#contacts'), formatNumber(outcome.changed)],
    [t('Left as they were'), formatNumber(outcome.left)],
    [t('Left out#rows'), formatNumber(bad.length)],
  ] as const
  return (
    <div class="form">
      {stopped && (
        <Notice kind="warning">{t('Stopped. What was imported until then stays.')}</Notice>
      )}
      <Facts class="figures" facts={figures} />
      <LeftOut sheet={sheet} bad={bad} misfits={plan.misfits} />
      <Actions>
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </Actions>
    </div>
  )
}
