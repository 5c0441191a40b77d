import { signal } from '@preact/signals'
import { markMentionsSeen } from '../../data/team/new-mentions.ts'
import { isWide } from '../../data/use/media-queries.ts'
import { t, tn } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { useCounts, useNews } from './use-conversations.ts'
import type { View } from './views.ts'
import './views.css'

/** The id of the chosen view (a filter of the list), kept while other pages are open. */
export const view = signal('all')
/**
 * The views with their counts; on narrow screens a button that names the chosen view and opens the others.
 */
export function Views({
  views,
  shown,
  hasTeam,
}: {
  views: readonly View[]
  shown: View
  hasTeam: boolean
}) {
  const countKind = useCounts()
  const news = useNews(hasTeam)
  const newWords = (count = 0) => (count > 0 ? tn('1 new', '{count} new', count) : '')
  const all = newWords((news.mine ?? 0) + (news.mentions ?? 0))
  const failed = countKind('failed').replace(/^0$/, '')
  const buttons = (close: () => void) => (
    <fieldset class="conversations-views">
      <legend class="unseen">{t('Show')}</legend>
      {views.map(({ id, words }) => (
        <Button
          key={id}
          kind="quiet"
          aria-pressed={id === shown.id}
          onClick={() => {
            view.value = id
            if (id === 'mentions') markMentionsSeen()
            close()
          }}
        >
          <bdi>{words}</bdi>
          {newWords(news[id]) && <strong class="count">{newWords(news[id])}</strong>}
          <span class={id === 'failed' && failed ? 'count' : 'muted'}>{countKind(id)}</span>
        </Button>
      ))}
    </fieldset>
  )
  if (isWide.value) return buttons(() => {})
  const words = [
    `${shown.words} ${countKind(shown.id)}`,
    all,
    shown.id !== 'failed' && failed && t('{count} failed', { count: failed }),
  ]
  return (
    <Menu icon="filter" words={words.filter(Boolean).join(' · ')}>
      {buttons}
    </Menu>
  )
}
