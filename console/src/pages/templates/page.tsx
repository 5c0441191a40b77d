import { useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { listNames } from '../../data/list-names.ts'
import type { Template } from '../../data/record-types.ts'
import { warnOfVariables } from '../../data/text/answer-variables.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { PicturesMark } from '../../parts/attachments/attachments.tsx'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
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
import { TemplatePreview } from './preview.tsx'

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

/** The automatic answers with a template. */
const nameAnswers = (template: Template): Promise<string> =>
  listNames('auto_answers', pb.filter('template = {:id}', template))

async function deleteTemplate(template: Template): Promise<void> {
  const answers = await nameAnswers(template)
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
    nameAnswers(template).then(setAnswers, () => {})
  }, [template.id])
  const warning = warnOfVariables(body)
  if (!answers || !warning) return null
  return (
    <Notice kind="warning">
      {t('Automatic answers with this template: {names}.', { names: answers })} {warning}
    </Notice>
  )
}
