import { pb } from '../../data/client.ts'
import type { ContactGroup } from '../../data/record-types.ts'
import { useCount } from '../../data/use/use-count.ts'
import { useGroups } from '../../data/use/use-list.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { Time } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'
import { makePageHref } from '../../router.ts'
import { describeGroupUses } from './group-uses.ts'

export const Page = () => (
  <ListPage
    title={t('Groups')}
    text={t('Contacts that get the same text.')}
    list={useGroups()}
    columns={makeGroupColumns}
    href={({ id }) => makePageHref(`/groups/${id}`)}
    icon="groups"
    none={[
      t('No groups yet'),
      t(
        'A group is a list of contacts. Create a group, then add contacts to it one by one or with an import.',
      ),
    ]}
    add={t('New group')}
    needs="agent"
    dialog={(group, close) => <GroupForm group={group} onClose={close} />}
  />
)

const makeGroupColumns = (edit: (group: ContactGroup) => void): readonly Column<ContactGroup>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('Contacts'), cell: ({ id }) => <Members group={id} /> },
  { title: t('Created'), cell: ({ created }) => <Time at={created} /> },
  makeActionsColumn(
    (group) => [
      {
        icon: 'send',
        words: t('Write to {name}', group),
        href: makePageHref('/send', { group: group.id }),
      },
      { icon: 'edit', words: t('Rename {name}', group), onClick: () => edit(group) },
      {
        icon: 'trash',
        words: t('Delete {name}', group),
        onClick: () => void runWithToast(() => deleteGroup(group)),
      },
    ],
    'agent',
  ),
]

const GroupForm = ({
  group,
  onClose,
}: {
  group: ContactGroup | undefined
  onClose: () => void
}) => (
  <Dialog title={group ? t('Rename the group') : t('New group')} onClose={onClose}>
    <RecordForm
      collection="contact_groups"
      record={group}
      rows={[{ name: 'name', label: t('Name'), autofocus: true }]}
      saved={group ? t('Group renamed') : t('Group created')}
      onClose={onClose}
    />
  </Dialog>
)

async function deleteGroup(group: ContactGroup): Promise<void> {
  const text = await describeGroupUses(group)
  await deleteRecord(group, { title: t('Delete the group?'), text }, t('Group deleted'))
}

function Members({ group }: { group: string }) {
  const isIn = pb.filter('groups.id ?= {:group}', { group })
  const all = useCount('contacts', isIn)
  const out = useCount('contacts', `${isIn} && opted_out = true`)
  if (all === undefined || out === undefined) return <span class="muted">…</span>
  return (
    <>
      {formatNumber(all)}
      {out > 0 && <span class="muted"> ({t('{count} opted out', { count: out })})</span>}
    </>
  )
}
