import { useRef, useState } from 'preact/hooks'
import type { CampaignPreview } from '../../data/campaign-preview.ts'
import { nameChoices } from '../../data/choices.ts'
import { postRequest } from '../../data/client.ts'
import { requestKeys } from '../../data/connection/request-key.ts'
import {
  describeOffset,
  isOfContacts,
  type Reminder,
  type ReminderSource,
} from '../../data/reminder.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useTemplates } from '../../data/use/use-list.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
import { ConsentField } from '../../parts/form/consent-field.tsx'
import { SelectField, TextArea, TextField } from '../../parts/form/field.tsx'
import { ButtonLink, Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { ReminderFields } from '../../parts/form/reminder-fields.tsx'
import { VariableButtons } from '../../parts/form/variable-buttons.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { NextReminders } from '../../parts/list/next-reminders.tsx'
import { Card, Page as Frame, Reading } from '../../parts/page.tsx'
import { SendFault } from '../../parts/send-fault.tsx'
import { goToPage, makePageHref } from '../../router.ts'

/** The form of a reminder: a text that leaves by itself before each date of contacts or of a collection. */
export function Page() {
  const { value, fault } = useAnswer<{ sources: readonly ReminderSource[] }>(
    '/api/campaigns/reminder-sources',
  )
  return (
    <Frame
      title={t('New reminder')}
      text={t(
        'A text that is sent by itself before each date, such as an appointment or a birthday.',
      )}
    >
      {!value && <Reading value={value} fault={fault} />}
      {value?.sources.length === 0 && <NoDates />}
      {value && value.sources.length > 0 && <ReminderForm sources={value.sources} />}
    </Frame>
  )
}

const NoDates = () => (
  <Empty
    icon="clock"
    title={t('No date field yet')}
    action={
      <ButtonLink kind="primary" icon="plus" href={makePageHref('/contacts/fields')}>
        {t('New field')}
      </ButtonLink>
    }
  >
    {t(
      'Add a field of the type date to your contacts, such as “Appointment”, and import the dates or type them.',
    )}
  </Empty>
)

/** All date fields of all sources, each a choice. */
const listDates = (sources: readonly ReminderSource[]) =>
  sources.flatMap((source) =>
    source.dates.map((name) => {
      const words = isOfContacts(source)
        ? name
        : t('{field} of {collection}', { field: name, collection: source.name })
      return [`${source.collection} ${name}`, words] as const
    }),
  )

function chooseDate(sources: readonly ReminderSource[], chosen: string): Reminder {
  const [collection = '', ...words] = chosen.split(' ')
  const field = words.join(' ')
  const source = sources.find((one) => one.collection === collection)!
  return {
    collection,
    field,
    ...(source.phones[0] && { phone: source.phones[0] }),
    offset: { days: 1, at: '18:00' },
  }
}

function ReminderForm({ sources }: { sources: readonly ReminderSource[] }) {
  const dates = listDates(sources)
  const [reminder, setReminder] = useState(() => chooseDate(sources, dates[0]![0]))
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [needsConsent, setNeedsConsent] = useState(false)
  const [textFault, setTextFault] = useState('')
  const [keys] = useState(() => requestKeys())
  const area = useRef<HTMLTextAreaElement>(null)
  const templates = useTemplates()
  const source = sources.find((one) => one.collection === reminder.collection)!
  const { filter, ...rest } = reminder
  const request = {
    body: text,
    variables: {},
    ...(name.trim() && { name: name.trim() }),
    ...(needsConsent && { requires_consent: true }),
    reminder: { ...rest, ...(filter?.trim() && { filter: filter.trim() }) },
  }
  const hasText = text.trim() !== ''
  const { preview, fault } = usePreview<CampaignPreview>(
    '/api/campaigns/preview',
    hasText ? request : undefined,
  )
  const work = useTask(async () => {
    if (!(await askToConfirm(writeQuestion(reminder, preview)))) return
    const headers = { 'idempotency-key': keys.of(request) }
    const { id } = await postRequest<{ id: string }>('/api/campaigns', request, { headers })
    keys.renew()
    goToPage(`/campaigns/${id}`)
  })
  const submit = async () => {
    setTextFault(hasText ? '' : t('Write a text first.'))
    if (hasText) await work.run()
  }
  return (
    <div class="stack">
      <Card>
        <Form onSubmit={submit}>
          {work.fault && <SendFault fault={work.fault} />}
          <div class="pairs">
            <SelectField
              label={t('Date')}
              name="date"
              value={`${reminder.collection} ${reminder.field}`}
              onValue={(chosen) => setReminder(chooseDate(sources, chosen))}
              choices={dates}
            />
            <TextField
              label={t('Name')}
              name="name"
              value={name}
              onValue={setName}
              hint={t('Recipients do not see the name.')}
            />
          </div>
          <ReminderFields source={source} value={reminder} onValue={setReminder} />
          {templates.length > 0 && (
            <SelectField
              label={t('Start with a template')}
              name="template"
              value=""
              onValue={(id) => setText(templates.find((one) => one.id === id)?.body ?? text)}
              choices={[['', t('Choose…')], ...nameChoices(templates)]}
            />
          )}
          <TextArea
            label={t('Text')}
            name="text"
            rows={4}
            inputRef={area}
            value={text}
            onValue={setText}
            error={textFault}
            hint={formatTextSize(text, false)}
          />
          <VariableButtons text={text} onText={setText} area={area} more={source.variables} />
          <ConsentField value={needsConsent} onValue={setNeedsConsent} />
          <FormActions icon="clock" busy={work.busy}>
            {t('Switch on')}
          </FormActions>
        </Form>
      </Card>
      <Card title={t('The next texts')}>
        {!hasText && <p class="muted">{t('Write a text to see it here.')}</p>}
        {fault && <Notice kind="warning">{fault.message}</Notice>}
        {preview?.reminders && <NextReminders rows={preview.reminders} />}
      </Card>
    </div>
  )
}

const writeQuestion = (reminder: Reminder, preview: CampaignPreview | undefined) => ({
  title: t('Switch the reminder on?'),
  text: t('{when} each person gets the text. Of the next {all}, {count} get it.', {
    when: describeOffset(reminder),
    all: preview?.reminders?.length ?? 0,
    count: preview?.recipients_count ?? 0,
  }),
  action: t('Switch on'),
})
