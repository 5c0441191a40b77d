import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Template } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { to } from '../../router.ts'
import { TemplateForm } from './template-form.tsx'
import './page.css'

/** Templates: texts with variables. */
export function Page() {
  const templates = useList<Template>('sms_templates', { sort: 'name' })
  const [edited, setEdited] = useState<Template | 'new'>()
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
      New template
    </Button>
  )
  return (
    <Frame
      title="Templates"
      text="Texts with variables, filled in for each recipient."
      actions={templates.total > 0 && add}
    >
      <Records
        list={templates}
        caption="Templates"
        columns={columnsFor(setEdited)}
        empty={
          <Empty icon="templates" title="No templates yet" action={add}>
            Write a text once, with variables such as {'{{name}}'} or {'{{code}}'} where it differs.
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
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Text', long: true, cell: ({ body }) => body },
  { title: 'Changed', cell: ({ updated }) => <Time at={updated} /> },
  {
    title: 'Actions',
    bare: true,
    align: 'end',
    cell: (template) => (
      <div class="row">
        <ButtonLink kind="quiet" icon="send" iconOnly href={to('/send', { template: template.id })}>
          {`Send ${template.name}`}
        </ButtonLink>
        <Button kind="quiet" icon="edit" iconOnly onClick={() => edit(template)}>
          {`Change ${template.name}`}
        </Button>
        <Button kind="quiet" icon="trash" iconOnly onClick={() => void remove(template)}>
          {`Delete ${template.name}`}
        </Button>
      </div>
    ),
  },
]

async function remove({ id, name }: Template): Promise<void> {
  const text = `${name} goes. Programs that send it by its id, ${id}, will be refused.`
  if (!(await confirmed({ title: 'Delete the template?', text, action: 'Delete', danger: true }))) return
  await pb
    .collection('sms_templates')
    .delete(id)
    .then(() => toast('Template deleted'), toastFault)
}
