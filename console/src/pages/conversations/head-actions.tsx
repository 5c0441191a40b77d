import type { Conversation } from '../../data/record-types.ts'
import { hasTeamRole, session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { isHuge, isNarrow } from '../../data/use/media-queries.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { WhenMenu } from '../../parts/list/when-menu.tsx'
import { formatDateTime, formatSoon } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import {
  archiveConversation,
  assignConversations,
  changeConversation,
  nameConversation,
} from './change.ts'
import { keepFocusOut } from './completing-area.tsx'
import './thread-head.css'

/** When the person is reminded of the conversation. A press removes the reminder. */
export const FollowUp = ({ conversation }: { conversation: Conversation }) =>
  conversation.follow_up_at !== '' && (
    <button
      type="button"
      class="conversations-chip"
      title={t('Remove the follow-up')}
      disabled={!hasTeamRole('agent')}
      onClick={() =>
        void changeConversation(conversation, { follow_up_at: '' }, t('Follow-up removed'))
      }
    >
      {t('Follow up · {day}', { day: formatSoon(conversation.follow_up_at) })}
      <Icon name="close" size={14} />
      <span class={isHuge.value ? '' : 'unseen'}> {t('Remove the follow-up')}</span>
    </button>
  )

/** The link to the conversation below the open one in the list, or else above it. */
function findNextRow(): HTMLAnchorElement | null | undefined {
  const row = document.querySelector('.conversations-list [aria-current]')?.closest('li')
  return (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('a')
}

export function HeadActions({
  conversation,
  people,
}: {
  conversation: Conversation
  people: People
}) {
  const { hasTeam } = people
  const sender = session.value?.sender ?? ''
  const isMine = conversation.assignee === sender
  const take = () => assignConversations([conversation], isMine ? '' : sender, people)
  const close = async (isByKey: boolean) => {
    const next = isNarrow.value ? undefined : findNextRow()
    if (next && isByKey) {
      keepFocusOut()
      next.focus()
    }
    // leave the thread first: an open thread marks its conversation as read
    location.hash = next?.hash ?? makePageHref('/conversations')
    await archiveConversation(conversation)
  }
  const followUp = (at: Date) => {
    const day = formatDateTime(at.toISOString())
    return changeConversation(
      conversation,
      { follow_up_at: at.toISOString() },
      t('Follow-up with {name}: {day}', { name: nameConversation(conversation), day }),
    )
  }
  return (
    <>
      {hasTeam && (
        <Button
          icon="assign"
          iconOnly
          aria-pressed={isMine}
          aria-keyshortcuts="A"
          onClick={() => void take()}
        >
          {t('Assign to me')}
        </Button>
      )}
      <WhenMenu
        words={t('Follow up')}
        shortcut="F"
        action={t('Follow up then')}
        onPick={followUp}
      />
      <Button
        kind="quiet"
        icon="backups"
        iconOnly
        aria-keyshortcuts="E"
        onClick={({ detail }) => void close(detail === 0)}
      >
        {conversation.archived ? t('Unarchive') : t('Archive')}
      </Button>
    </>
  )
}
