import type { Template } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/delete-record.ts'
import { actionsColumn, ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { TemplateForm } from './template-form.tsx'
import './page.css'

/** Templates: texts with variables. */
export const Page = () => (
  <ListPage
    title={t('Templates')}
    text={t('Texts with variables, filled in for each recipient.')}
    list={useList<Template>('sms_templates', { sort: 'name' })}
    columns={columnsFor}
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

const columnsFor = (edit: (template: Template) => void): readonly Column<Template>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('Text'), long: true, cell: ({ body }) => body },
  { title: t('Changed'), cell: ({ updated }) => <Time at={updated} /> },
  actionsColumn((template) => [
    {
      icon: 'send',
      words: t('Send {name}', { name: template.name }),
      needs: 'agent',
      href: to('/send', { template: template.id }),
    },
    {
      icon: 'edit',
      words: t('Change {name}', { name: template.name }),
      needs: 'agent',
      onClick: () => edit(template),
    },
    {
      icon: 'trash',
      words: t('Delete {name}', { name: template.name }),
      needs: 'agent',
      onClick: () => remove(template),
    },
  ]),
]

const remove = (template: Template) =>
  deleteRecord(
    template,
    {
      title: t('Delete the template?'),
      text: t('{name} goes. Programs that send it by its id, {id}, will be refused.', template),
      action: t('Delete'),
    },
    t('Template deleted'),
  )
