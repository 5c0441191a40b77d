import { useState } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import { useCountry } from '../../data/phone/default-country.ts'
import { describeFaults, readNumbers, type TypedNumber } from '../../data/phone/number-list.ts'
import type { Campaign } from '../../data/record-types.ts'
import type { Reminder, ReminderSource } from '../../data/reminder.ts'
import { makeRepeatRequest, ONCE, type Repeat } from '../../data/repeat.ts'
import {
  findTimeFault,
  formatLocal,
  parseDate,
  parseLocalTime,
  type When,
} from '../../data/text/local-time.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import {
  addDefaults,
  findDefault,
  listOwnVariables,
  listVariables,
} from '../../data/text/variables.ts'
import { nameStored } from '../../data/use/chosen-files.ts'
import { isSameValue } from '../../data/use/draft-members.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useGroups } from '../../data/use/use-list.ts'
import { useRecordFiles } from '../../data/use/use-record-files.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { AddPictures } from '../../parts/form/add-pictures.tsx'
import { CheckList } from '../../parts/form/choices.tsx'
import { NumberCountry } from '../../parts/form/country-field.tsx'
import { TextArea, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { ReminderFields } from '../../parts/form/reminder-fields.tsx'
import { RepeatField } from '../../parts/form/repeat-field.tsx'
import { WhenField } from '../../parts/form/when-field.tsx'
import { showToast } from '../../parts/toast.tsx'

const MOST_REASONS = 5
const BEGUN = t(
  'The campaign has begun. A new text goes to those who have not got it; the others keep theirs.',
)

interface Draft {
  readonly name: string
  readonly text: string
  /** Values for all recipients. */
  readonly variables: Readonly<Record<string, string>>
  /** Values of the text's variables for people without their own, as far as they were typed here. */
  readonly defaults: Readonly<Record<string, string>>
  readonly when: When
  readonly repeat: Repeat
  readonly reminder: Reminder | null
  readonly groups: readonly string[]
  readonly numbers: string
}

const makeDraft = ({
  name,
  body,
  variables,
  scheduled_at,
  repeat,
  reminder,
  groups,
  recipients,
}: Campaign): Draft => ({
  name,
  text: body,
  variables: variables ?? {},
  defaults: {},
  when: { isLater: true, at: formatLocal(parseDate(scheduled_at)) },
  repeat: repeat ?? ONCE,
  reminder,
  groups,
  numbers: recipients.join('\n'),
})

export function EditDialog({
  campaign,
  hasBegun,
  onClose,
}: {
  campaign: Campaign
  /** Some have got it: the server changes only the name, and the text for the others. */
  hasBegun: boolean
  onClose: () => void
}) {
  // the campaign as it was when the dialog opened: later changes do not replace what is being typed
  const [was] = useState(() => makeDraft(campaign))
  const typed = useDraft(`campaign.${campaign.id}`, was)
  const { value: draft, change } = typed
  const pictures = useRecordFiles(`campaign.${campaign.id}`, campaign)
  const groups = useGroups()
  const [country, setCountry] = useCountry()
  const numbers = readNumbers(draft.numbers, country)
  // unchanged numbers are not checked: programs may have stored ones that the console would refuse
  const bad = draft.numbers === was.numbers ? [] : numbers.filter(({ fault }) => fault)
  const faults = findTimeFault(draft.when, was.when.at)
  const [isTried, setTried] = useState(false)
  const save = useTask(async () => {
    setTried(true)
    if (!hasBegun && (bad.length > 0 || faults.at)) return
    const body = {
      ...makeRequest(campaign, was, draft, numbers),
      ...(pictures.isChanged && { attachments: pictures.files.map(nameStored) }),
    }
    if (Object.keys(body).length > 0) {
      await pb.send(`/api/campaigns/${campaign.id}`, { method: 'PATCH', body })
      showToast(t('Campaign changed'))
    }
    typed.saved()
    pictures.forget()
    onClose()
  })
  const cancel = () => {
    typed.discard()
    pictures.forget()
    onClose()
  }
  const hasAudience =
    !hasBegun && !draft.reminder && campaign.rows === 0 && campaign.of_campaign === ''
  const names = campaign.template ? Object.keys(was.variables) : listOwnVariables(draft.text)
  return (
    <Dialog title={t('Change the campaign')} onClose={onClose}>
      <Form onSubmit={save.run} fault={save.fault}>
        {hasBegun && <Notice>{BEGUN}</Notice>}
        <TextField
          label={t('Name')}
          name="name"
          value={draft.name}
          onValue={(name) => change({ name })}
        />
        {!campaign.template && (
          <TextArea
            label={t('Text')}
            name="text"
            rows={4}
            value={draft.text}
            onValue={(text) => change({ text })}
            hint={formatTextSize(draft.text, pictures.files.length > 0)}
          />
        )}
        {names.map((name) => {
          // the console puts values into the text as defaults; templates and programs have ones for all
          const part = campaign.template || name in was.variables ? 'variables' : 'defaults'
          return (
            <TextField
              key={name}
              label={name}
              name={`variable ${name}`}
              value={
                draft[part][name] ?? (part === 'defaults' ? findDefault(draft.text, name) : '')
              }
              onValue={(typed) => change({ [part]: { ...draft[part], [name]: typed } })}
              hint={
                part === 'defaults'
                  ? t('For people without a value. Contacts keep their own.')
                  : t('Goes to all recipients, also to contacts with a value of their own.')
              }
            />
          )
        })}
        {!hasBegun && (
          <AddPictures files={pictures.files} lost={pictures.lost} onFiles={pictures.set} />
        )}
        {draft.reminder && (
          <EditReminder value={draft.reminder} onValue={(reminder) => change({ reminder })} />
        )}
        {hasBegun || draft.reminder ? null : campaign.repeat ? (
          <RepeatField
            value={draft.repeat}
            onValue={(repeat) => change({ repeat })}
            // a changed repetition begins at the chosen start, or at once if that is over
            from={isSameValue(draft.repeat, was.repeat) ? was.when.at : writeBegin(campaign)}
            isFixed
          />
        ) : (
          <WhenField
            when={draft.when}
            onChange={(part) => change({ when: { ...draft.when, ...part } })}
            error={isTried ? faults.at : undefined}
          />
        )}
        {hasAudience && groups.items.length > 0 && (
          <CheckList
            legend={t('Groups')}
            name="group"
            choices={nameChoices(groups.items)}
            chosen={draft.groups}
            onChosen={(groups) => change({ groups })}
          />
        )}
        {hasAudience && (
          <>
            <TextArea
              label={t('Numbers')}
              name="numbers"
              rows={3}
              value={draft.numbers}
              onValue={(numbers) => change({ numbers })}
              hint={t('One number in each row, as you would dial it.')}
              error={isTried && bad.length > 0 ? describeFaults(bad, MOST_REASONS) : undefined}
            />
            <NumberCountry value={country} onValue={setCountry} />
          </>
        )}
        <FormActions busy={save.busy} onCancel={cancel}>
          {t('Save')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

/** The fields of a stored reminder, once the server has said what it can go by. */
function EditReminder({
  value,
  onValue,
}: {
  value: Reminder
  onValue: (reminder: Reminder) => void
}) {
  const { value: answer } = useAnswer<{ sources: readonly ReminderSource[] }>(
    '/api/campaigns/reminder-sources',
  )
  const source = answer?.sources.find(({ collection, name }) =>
    [collection, name].includes(value.collection),
  )
  return source ? <ReminderFields source={source} value={value} onValue={onValue} /> : null
}

const writeBegin = ({ begins_at: at }: Campaign) => (at ? formatLocal(parseDate(at)) : '')

/**
 * The body of `PATCH /api/campaigns/ID`: the changed fields only. `recipients`: the draft's parsed numbers.
 */
function makeRequest(
  campaign: Campaign,
  was: Draft,
  { name, text, variables, defaults, when, repeat, reminder, groups, numbers }: Draft,
  recipients: readonly TypedNumber[],
) {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  return {
    ...(name !== was.name && { name }),
    ...(!isSameValue([text, variables, defaults], [was.text, was.variables, was.defaults]) &&
      (campaign.template
        ? { template_id: campaign.template, variables }
        : {
            body: addDefaults(text, defaults),
            ...(listVariables(text).length > 0 && { variables: given }),
          })),
    ...(!isSameValue(repeat, was.repeat) && { repeat: makeRepeatRequest(repeat) }),
    ...(!isSameValue(reminder, was.reminder) && { reminder }),
    ...(!isSameValue(when, was.when) &&
      (when.isLater ? { scheduled_at: parseLocalTime(when.at) } : { hold_seconds: 10 })),
    ...(!(isSameValue(groups, was.groups) && numbers === was.numbers) && {
      group_ids: groups,
      recipients: recipients.map(({ phone }) => phone),
    }),
  }
}
