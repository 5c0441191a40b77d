import { useState } from 'preact/hooks'
import type { ContactGroup } from '../../data/records.ts'
import { useGroups } from '../../data/use/use-groups.ts'
import { t } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/delete-record.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { Members } from './members.tsx'

/** Groups of contacts, with their members and a link to text them. */
export function Page() {
  const groups = useGroups()
  const [edited, setEdited] = useState<ContactGroup | 'new'>()
  const add = (
    <Button kind="primary" icon="plus" needs="agent" onClick={() => setEdited('new')}>
      {t('New group')}
    </Button>
  )
  return (
    <Frame title={t('Groups')} text={t('Contacts that get the same text.')} actions={groups.total > 0 && add}>
      <Records
        list={groups}
        caption={t('Groups')}
        columns={columnsFor(setEdited)}
        href={({ id }) => to('/contacts', { group: id })}
        empty={
          <Empty icon="groups" title={t('No groups yet')} action={add}>
            {t(
              'A group is a list of contacts: make one, then put contacts into it, one by one or with an import.',
            )}
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
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('Contacts'), cell: ({ id }) => <Members group={id} /> },
  { title: t('Created'), cell: ({ created }) => <Time at={created} /> },
  {
    title: t('Actions'),
    bare: true,
    align: 'end',
    cell: (group) => (
      <div class="row">
        <ButtonLink kind="quiet" icon="send" iconOnly needs="agent" href={to('/send', { group: group.id })}>
          {t('Write to {name}', { name: group.name })}
        </ButtonLink>
        <Button kind="quiet" icon="edit" iconOnly needs="agent" onClick={() => edit(group)}>
          {t('Rename {name}', { name: group.name })}
        </Button>
        <Button kind="quiet" icon="trash" iconOnly needs="agent" onClick={() => void remove(group)}>
          {t('Delete {name}', { name: group.name })}
        </Button>
      </div>
    ),
  },
]

const GroupForm = ({ group, onClose }: { group: ContactGroup | undefined; onClose: () => void }) => (
  <Dialog title={group ? t('Rename the group') : t('New group')} onClose={onClose}>
    <RecordForm
      collection="contact_groups"
      record={group}
      rows={[{ name: 'name', label: t('Name'), autofocus: true }]}
      saved={group ? t('Group renamed') : t('Group created')}
      {...{ onSaved: onClose, onCancel: onClose }}
    />
  </Dialog>
)

const remove = (group: ContactGroup) =>
  deleteRecord(
    group,
    {
      title: t('Delete the group?'),
      text: t('{name} goes; its contacts stay.', { name: group.name }),
      action: t('Delete'),
    },
    t('Group deleted'),
  )
