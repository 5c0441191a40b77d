import type { ContactGroup } from '../../../data/record-types.ts'
import type { Groups } from '../../../data/use/use-list.ts'
import { t } from '../../../language/words.ts'
import { Menu } from '../../../parts/list/menu.tsx'
import { makePageHref } from '../../../router.ts'
import { formatMemberCount, useMemberCounts } from './chips.tsx'

export function GroupMenu({
  groups,
  chosen,
  onToggle,
}: {
  groups: Groups
  chosen: readonly string[]
  onToggle: (id: string) => void
}) {
  if (groups.items.length === 0) return null
  return (
    <Menu words={t('Groups')} icon="groups">
      {() => <GroupList groups={groups.items} chosen={chosen} onToggle={onToggle} />}
    </Menu>
  )
}

function GroupList({
  groups,
  chosen,
  onToggle,
}: {
  groups: readonly ContactGroup[]
  chosen: readonly string[]
  onToggle: (id: string) => void
}) {
  const counts = useMemberCounts(groups.map(({ id }) => id))
  return (
    <div class="send-groups">
      {groups.map(({ id, name }) => (
        <label key={id} class="check">
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => onToggle(id)} />
          <span>{name}</span>
          <span class="muted">{formatMemberCount(counts(id))}</span>
        </label>
      ))}
      <a href={makePageHref('/groups')}>{t('Manage groups')}</a>
    </div>
  )
}
