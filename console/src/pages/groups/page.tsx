import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { ContactGroup } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useGroups } from '../../data/use/use-groups.ts'
import { useTask } from '../../data/use/use-task.ts'
import { confirmed, Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { to } from '../../router.ts'
import { Members } from './members.tsx'

/** Groups of contacts: how many are in each, who they are, and a text to all. */
export function Page() {
  const groups = useGroups()
  const [edited, setEdited] = useState<ContactGroup | 'new'>()
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
      New group
    </Button>
  )
  return (
    <Frame title="Groups" text="Contacts that get the same text." actions={groups.total > 0 && add}>
      <Records
        list={groups}
        caption="Groups"
        columns={columnsFor(setEdited)}
        href={({ id }) => to('/contacts', { group: id })}
        empty={
          <Empty icon="groups" title="No groups yet" action={add}>
            A group is a list of contacts: make one, then put contacts into it, one by one or with an import.
          </Empty>
        }
      />
      {edited && (
        <GroupForm group={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Frame>
  )
}

const columnsFor = (edit: (group: ContactGroup) => void): readonly Column<ContactGroup>[] => [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Contacts', cell: ({ id }) => <Members group={id} /> },
  { title: 'Created', cell: ({ created }) => <Time at={created} /> },
  {
    title: 'Actions',
    bare: true,
    align: 'end',
    cell: (group) => (
      <div class="row">
        <ButtonLink kind="quiet" icon="send" iconOnly href={to('/send', { group: group.id })}>
          {`Write to ${group.name}`}
        </ButtonLink>
        <Button kind="quiet" icon="edit" iconOnly onClick={() => edit(group)}>
          {`Rename ${group.name}`}
        </Button>
        <Button kind="quiet" icon="trash" iconOnly onClick={() => void remove(group)}>
          {`Delete ${group.name}`}
        </Button>
      </div>
    ),
  },
]

function GroupForm({ group, onClose }: { group: ContactGroup | undefined; onClose: () => void }) {
  const [name, setName] = useState(group?.name ?? '')
  const save = useTask(async () => {
    if (group) await pb.collection('contact_groups').update(group.id, { name })
    else await pb.collection('contact_groups').create({ user: userId(), name })
    toast(group ? 'Group renamed' : 'Group created')
    onClose()
  })
  return (
    <Dialog title={group ? 'Rename the group' : 'New group'} onClose={onClose}>
      <Form onSubmit={save.run} fault={save.fault} names={['name']}>
        <TextField label="Name" name="name" value={name} onValue={setName} fault={save.fault} autofocus />
        <FormActions busy={save.busy} onCancel={onClose}>
          Save
        </FormActions>
      </Form>
    </Dialog>
  )
}

async function remove({ id, name }: ContactGroup): Promise<void> {
  const text = `${name} goes; its contacts stay.`
  if (!(await confirmed({ title: 'Delete the group?', text, action: 'Delete', danger: true }))) return
  await pb
    .collection('contact_groups')
    .delete(id)
    .then(() => toast('Group deleted'), toastFault)
}
