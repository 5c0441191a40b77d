import { rememberForPerson } from '../../data/remember-for-person.ts'
import { markMentionsSeen } from '../../data/team/new-mentions.ts'
import { isWide } from '../../data/use/media-queries.ts'
import { t, tn } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { LabelChip } from '../../parts/labels/label-chip.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { useNews } from './use-conversations.ts'
import { formatViewCount, type Inbox } from './use-inbox.ts'
import { showView } from './view-in-address.ts'
import type { View } from './views.ts'
import './views.css'

const areLabelsOpen = rememberForPerson('inbox-labels', true)

interface ViewsProps {
  readonly views: readonly View[]
  readonly savedViews: readonly View[]
  readonly labelViews: readonly View[]
  readonly shown: View
  readonly hasTeam: boolean
  readonly inbox: Inbox
  readonly onNew: () => void
}

/**
 * The views with their counts; on narrow screens a button that names the chosen view and opens the others.
 */
export function Views(props: ViewsProps) {
  const { shown, hasTeam } = props
  const news = useNews(hasTeam)
  const newWords = (id: string) => {
    const count = news[id] ?? 0
    if (count === 0) return ''
    return id === 'mentions'
      ? tn('1 mention', '{count} mentions', count)
      : tn('1 new', '{count} new#conversations', count)
  }
  const buttons = (close: () => void) => (
    <ViewButtons {...props} newWords={newWords} close={close} />
  )
  if (isWide.value) return buttons(() => {})
  const failed = formatFailedCount()
  const words = [
    `${shown.words} ${formatViewCount(shown.id)}`,
    newWords('mine') && `${t('Mine')} ${newWords('mine')}`,
    newWords('mentions'),
    // the name of the view: its count is not that of the view that is shown
    shown.id !== 'failed' && failed && `${t('Failed#conversations')} ${failed}`,
  ]
  return (
    <Menu icon="filter" words={words.filter(Boolean).join(' · ')}>
      {buttons}
    </Menu>
  )
}

const formatFailedCount = () => formatViewCount('failed').replace(/^0$/, '')

function ViewButtons({
  views,
  savedViews,
  labelViews,
  shown,
  inbox,
  newWords,
  close,
  onNew,
}: ViewsProps & { newWords: (view: string) => string; close: () => void }) {
  const failed = formatFailedCount()
  const makeButton = ({ id, words, lost }: View) => {
    const label = inbox.labels.find((one) => one.id === id)
    return (
      <Button
        key={id}
        kind="quiet"
        aria-pressed={id === shown.id}
        onClick={() => {
          showView(id)
          if (id === 'mentions') markMentionsSeen()
          close()
        }}
      >
        {label ? <LabelChip label={label} /> : <bdi>{words}</bdi>}
        {newWords(id) && <strong class="count">{newWords(id)}</strong>}
        {lost && <span title={lost}>!</span>}
        <span class={id === 'failed' && failed ? 'count' : 'muted'}>{formatViewCount(id)}</span>
      </Button>
    )
  }
  return (
    <div class="conversations-views">
      <fieldset>
        <legend class="unseen">{t('Show')}</legend>
        {views.map(makeButton)}
      </fieldset>
      <fieldset>
        <legend class="unseen">{t('Saved views')}</legend>
        {savedViews.map(makeButton)}
        <Button
          kind="quiet"
          icon="plus"
          needs="agent"
          onClick={() => {
            close()
            onNew()
          }}
        >
          {t('New view')}
        </Button>
      </fieldset>
      {labelViews.length > 0 && (
        <details
          open={areLabelsOpen.value}
          onToggle={({ currentTarget }) => {
            areLabelsOpen.value = currentTarget.open
          }}
        >
          <summary>{t('Labels')}</summary>
          <fieldset>
            <legend class="unseen">{t('Labels')}</legend>
            {labelViews.map(makeButton)}
          </fieldset>
        </details>
      )}
    </div>
  )
}
