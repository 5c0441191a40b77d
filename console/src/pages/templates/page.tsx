import { useState } from 'preact/hooks'
import type { Template } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/delete-record.ts'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { TemplateForm } from './template-form.tsx'
import './page.css'

/** Templates: texts with variables. */
export function Page() {
  const templates = useList<Template>('sms_templates', { sort: 'name' })
  const [edited, setEdited] = useState<Template | 'new'>()
  const add = (
    <Button kind="primary" icon="plus" needs="agent" onClick={() => setEdited('new')}>
      {t('New template')}
    </Button>
  )
  return (
    <Frame
      title={t('Templates')}
      text={t('Texts with variables, filled in for each recipient.')}
      actions={templates.total > 0 && add}
    >
      <Records
        list={templates}
        caption={t('Templates')}
        columns={columnsFor(setEdited)}
        empty={
          <Empty icon="templates" title={t('No templates yet')} action={add}>
            {t('Write a text once, with variables such as {{name}} or {{code}} where it differs.')}
          </Empty>
        }
      />
      {edited && (
        <TemplateForm template={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Frame>
  )
}

const columnsFor = (edit: (template: Template) => void): readonly Column<Template>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('Text'), long: true, cell: ({ body }) => body },
  { title: t('Changed'), cell: ({ updated }) => <Time at={updated} /> },
  {
    title: t('Actions'),
    bare: true,
    align: 'end',
    cell: (template) => (
      <div class="row">
        <ButtonLink
          kind="quiet"
          icon="send"
          iconOnly
          needs="agent"
          href={to('/send', { template: template.id })}
        >
          {t('Send {name}', { name: template.name })}
        </ButtonLink>
        <Button kind="quiet" icon="edit" iconOnly needs="agent" onClick={() => edit(template)}>
          {t('Change {name}', { name: template.name })}
        </Button>
        <Button kind="quiet" icon="trash" iconOnly needs="agent" onClick={() => void remove(template)}>
          {t('Delete {name}', { name: template.name })}
        </Button>
      </div>
    ),
  },
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
