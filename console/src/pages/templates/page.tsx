import { useEffect, useRef, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { countSegments } from '#portable/segments.ts'
import { pb } from '../../data/client.ts'
import { findContactField } from '../../data/contact-fields.ts'
import { listNames } from '../../data/list-names.ts'
import type { Contact, Template } from '../../data/record-types.ts'
import { warnOfVariables } from '../../data/text/answer-variables.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import {
  fillPiece,
  listVariables,
  OF_CONTACTS,
  splitAtVariables,
} from '../../data/text/variables.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { PicturesMark } from '../../parts/attachments/attachments.tsx'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { VariableButtons } from '../../parts/form/variable-buttons.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { usePicturesRow } from '../../parts/rows/pictures-row.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { SuggestPlainText } from '../../parts/suggest-plain-text.tsx'
import { Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import './page.css'

export const Page = () => (
  <ListPage
    title={t('Templates')}
    text={t('Texts with variables, filled in for each recipient.')}
    list={useList<Template>('sms_templates', { sort: 'name' })}
    columns={makeTemplateColumns}
    icon="templates"
    none={[
      t('No templates yet'),
      t('Write a text once, with variables such as {{name}} or {{code}} where it differs.'),
    ]}
    add={t('New template')}
    needs="agent"
    dialog={(template, close) => <TemplateForm template={template} onClose={close} />}
  />
)

const makeTemplateColumns = (edit: (template: Template) => void): readonly Column<Template>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  {
    title: t('Text'),
    long: true,
    cell: ({ attachments, body }) => (
      <>
        <PicturesMark files={attachments} /> {body}
      </>
    ),
  },
  { title: t('Changed'), cell: ({ updated }) => <Time at={updated} /> },
  makeActionsColumn(
    (template) => [
      {
        icon: 'send',
        words: t('Send {name}', template),
        href: makePageHref('/send', { template: template.id }),
      },
      { icon: 'edit', words: t('Change {name}', template), onClick: () => edit(template) },
      {
        icon: 'trash',
        words: t('Delete {name}', template),
        onClick: () => deleteTemplate(template),
      },
    ],
    'agent',
  ),
]

async function deleteTemplate(template: Template): Promise<void> {
  const answers = await listNames('auto_answers', pb.filter('template = {:id}', template))
  await deleteRecord(
    template,
    {
      title: t('Delete the template?'),
      text: [
        t('Programs that send {name} by its id, {id}, will be refused.', template),
        answers && t('Automatic answers that then send nothing: {names}.', { names: answers }),
      ]
        .filter(Boolean)
        .join(' '),
    },
    t('Template deleted'),
  )
}

function TemplateForm({
  template,
  onClose,
}: {
  template: Template | undefined
  onClose: () => void
}) {
  const area = useRef<HTMLTextAreaElement>(null)
  const { row, addTo, forget } = usePicturesRow('sms_templates', template)
  return (
    <Dialog title={template ? t('Change the template') : t('New template')} onClose={onClose} wide>
      <RecordForm
        collection="sms_templates"
        record={template}
        rows={[
          { name: 'name', label: t('Name'), autofocus: true },
          {
            name: 'body',
            label: t('Text'),
            rows: 5,
            inputRef: area,
            hint: t(
              "Two braces on either side make a variable: {{code}}. {{name}}, {{phone}} and fields such as {{city}} are each contact's own; {{name|there}} has a default for who has none.",
            ),
          },
          ({ values, change }) => {
            const props = { text: String(values.body), onText: (body: string) => change({ body }) }
            return (
              <>
                <SuggestPlainText {...props} />
                <VariableButtons {...props} area={area} />
                {template && <OfAnswers template={template} body={props.text} />}
                <TemplatePreview body={props.text} />
              </>
            )
          },
          row,
          { name: 'requires_consent', label: t('Send only to people with proof of consent') },
        ]}
        prepare={addTo}
        saved={t('Template saved')}
        onClose={() => {
          forget()
          onClose()
        }}
      />
    </Dialog>
  )
}

/** Names the automatic answers that a changed template would no longer let go to everybody. */
function OfAnswers({ template, body }: { template: Template; body: string }) {
  const [answers, setAnswers] = useState('')
  useEffect(() => {
    listNames('auto_answers', pb.filter('template = {:id}', template)).then(setAnswers, () => {})
  }, [template.id])
  const warning = warnOfVariables(body)
  if (!answers || !warning) return null
  return (
    <Notice kind="warning">
      {t('Automatic answers with this template: {names}.', { names: answers })} {warning}
    </Notice>
  )
}

/** Maximum contacts to choose from for the preview. */
const CHOICES = 100

function TemplatePreview({ body }: { body: string }) {
  const contacts = useList<Contact>('contacts', { sort: 'name', perPage: CHOICES, live: false })
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const contact = contacts.items.find(({ id }) => id === chosen) ?? contacts.items[0]
  const fields = useContactFields()
  const findField = (name: string) => contact && findContactField(contact, name, fields.items)
  const own: Readonly<Record<string, string>> = {
    ...(contact && { name: contact.name, phone: contact.phone }),
    // as long as a real one
    stop_link: `${location.origin}/leave/${'x'.repeat(32)}`,
  }
  // prefer the contact's own value to a typed one, which may have been typed for another contact
  const valueFor = (variable: string) => {
    const name = variable.toLowerCase()
    return own[name] || findField(variable) || (own[name] ?? values[name])
  }
  // while contacts are being loaded, assume that there is one with name and phone
  const isTheirs = (name: string) =>
    (contact || contacts.loading) && OF_CONTACTS.includes(name.toLowerCase())
  const asked = listVariables(body).filter((name) => !isTheirs(name) && !findField(name))
  const pieces = splitAtVariables(body).map((piece) => {
    const value = piece.isVariable ? fillPiece(piece, valueFor(piece.text)) : piece.text
    return { text: value ?? `{{${piece.text}}}`, isOpen: value === undefined }
  })
  const text = pieces.map((piece) => piece.text).join('')
  const { segments } = countSegments(text)
  return (
    <section class="stack" aria-label={t('Preview')}>
      <div class="columns">
        {contact && (
          <SelectField
            label={t('As it goes to')}
            name="preview-contact"
            value={contact.id}
            onValue={setChosen}
            choices={contacts.items.map(
              ({ id, name, phone }) => [id, name || formatPhone(phone)] as const,
            )}
          />
        )}
        {asked.map((name) => (
          <TextField
            key={name}
            label={name}
            name={`variable-${name}`}
            value={values[name.toLowerCase()] ?? ''}
            onValue={(value) => setValues({ ...values, [name.toLowerCase()]: value })}
          />
        ))}
      </div>
      {body !== '' && (
        <>
          <p class="templates-preview">
            {pieces.map((piece, at) => (
              <span key={at} class={piece.isOpen ? 'templates-open' : undefined}>
                {piece.text}
              </span>
            ))}
          </p>
          <p class="muted">
            {t('{count} characters, {segments}', {
              count: [...text].length,
              segments: formatSegments(segments),
            })}
          </p>
        </>
      )}
    </section>
  )
}
