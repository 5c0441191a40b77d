import { signal } from '@preact/signals'
import { markMentionsSeen } from '../../data/team/new-mentions.ts'
import { isWide } from '../../data/use/media-queries.ts'
import { t, tn } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { formatViewCount, useNews } from './use-conversations.ts'
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
  const news = useNews(hasTeam)
  const newWords = (id: string) => {
    const count = news[id] ?? 0
    if (count === 0) return ''
    return id === 'mentions'
      ? tn('1 mention', '{count} mentions', count)
      : tn('1 new', '{count} new', count)
  }
  const failed = formatViewCount('failed').replace(/^0$/, '')
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
          {newWords(id) && <strong class="count">{newWords(id)}</strong>}
          <span class={id === 'failed' && failed ? 'count' : 'muted'}>{formatViewCount(id)}</span>
        </Button>
      ))}
    </fieldset>
  )
  if (isWide.value) return buttons(() => {})
  const words = [
    `${shown.words} ${formatViewCount(shown.id)}`,
    newWords('mine') && `${t('Mine')} ${newWords('mine')}`,
    newWords('mentions'),
    shown.id !== 'failed' && failed && t('{count} failed', { count: failed }),
  ]
  return (
    <Menu icon="filter" words={words.filter(Boolean).join(' · ')}>
      {buttons}
    </Menu>
  )
}
