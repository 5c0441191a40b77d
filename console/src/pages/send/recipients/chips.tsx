import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { countRecords, pb } from '../../../data/client.ts'
import { useLookup } from '../../../data/use/use-known.ts'
import { t, tn } from '../../../language/words.ts'
import { Icon } from '../../../parts/icon.tsx'
import type { Recipient } from '../composition.ts'
import './chips.css'

/** Maximum recipients shown while the list is folded; invalid ones are shown first. */
const SHOWN = 30

interface GroupChip {
  readonly id: string
  readonly name: string
  readonly count: MemberCount | undefined
}

interface MemberCount {
  readonly all: number
  readonly optedOut: number
}

export function Chips({
  groups,
  recipients,
  findName,
  hasOptedOut,
  onRemoveGroup,
  onRemove,
}: {
  groups: readonly GroupChip[]
  recipients: readonly Recipient[]
  findName: (phone: string) => string
  hasOptedOut: (phone: string) => boolean
  onRemoveGroup: (id: string) => void
  onRemove: (phone: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const sorted = [...recipients].sort((a, b) => Number(Boolean(b.fault)) - Number(Boolean(a.fault)))
  const isLong = recipients.length > SHOWN
  const shown = isLong && !isOpen ? sorted.slice(0, SHOWN) : recipients
  return (
    <>
      <ul class="send-chips" aria-label={t('Recipients')}>
        {groups.map(({ id, name, count }) => (
          <Chip
            key={id}
            kind="group"
            words={name || t('A group')}
            more={formatMemberCount(count)}
            onRemove={() => onRemoveGroup(id)}
          />
        ))}
        {shown.map((recipient) => {
          const { phone, fault } = recipient
          const number = fault ? phone : formatPhone(phone)
          const isOut = hasOptedOut(phone)
          const name = recipient.name || findName(phone)
          const more = fault ? t('not readable') : isOut ? t('opted out') : name ? number : ''
          return (
            <Chip
              key={phone}
              kind={fault ? 'bad' : isOut ? 'doubt' : ''}
              words={name || number}
              more={more}
              onRemove={() => onRemove(phone)}
            />
          )
        })}
      </ul>
      {isLong && (
        <button
          type="button"
          class="send-fold"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t('Show fewer') : t('and {count} more', { count: recipients.length - SHOWN })}
        </button>
      )}
    </>
  )
}

const Chip = ({
  kind,
  words,
  more,
  onRemove,
}: {
  kind: 'group' | 'bad' | 'doubt' | ''
  words: string
  more: string
  onRemove: () => void
}) => (
  <li class={`send-chip ${kind}`}>
    {kind === 'group' && <Icon name="groups" size={15} />}
    {kind === 'bad' && <Icon name="warning" size={15} />}
    <span class="send-chip-words cut">{words}</span>
    {more && <span class="send-chip-more">{more}</span>}
    <button type="button" aria-label={t('Remove {words}', { words })} onClick={onRemove}>
      <Icon name="close" size={14} />
    </button>
  </li>
)

/** Returns a function: how many members a group has, and how many opted out; undefined until counted. */
export const useMemberCounts = (groups: readonly string[]) => useLookup(groups, countMembers).get

const countMembers = (groups: readonly string[]) =>
  Promise.all(
    groups.map(async (group) => {
      const inGroup = pb.filter('groups.id ?= {:group}', { group })
      const [all, optedOut] = await Promise.all(
        [inGroup, `${inGroup} && opted_out = true`].map((filter) =>
          countRecords('contacts', filter),
        ),
      )
      return [group, { all: all!, optedOut: optedOut! }] as const
    }),
  )

/** Formats a count as `12 members, 1 opted out`; '' while the count is unknown. */
export function formatMemberCount(count: MemberCount | undefined): string {
  if (!count) return ''
  const all = tn('1 member', '{count} members', count.all)
  return count.optedOut > 0
    ? `${all}, ${tn('1 opted out', '{count} opted out', count.optedOut)}`
    : all
}
