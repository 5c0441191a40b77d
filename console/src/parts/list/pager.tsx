import { t } from '../../language/words.ts'
import { Button } from '../form/button.tsx'

/** The pager of a list: page, number of pages, back and forth. Hidden for a single page. */
export function Pager(list: {
  page: number
  pages: number
  /** Undefined until it is counted; `pages` then goes no further than the next. */
  total: number | undefined
  goTo: (page: number) => void
}) {
  const { page, pages, total, goTo } = list
  if (pages <= 1 && page === 1) return null
  return (
    <nav class="pager" aria-label={t('Pages')}>
      <span>
        {total === undefined
          ? t('Page {page}', { page })
          : t('Page {page} of {pages} · {total} in all', { page, pages, total })}
      </span>
      <Button icon="left" disabled={page <= 1} onClick={() => goTo(page - 1)}>
        {t('Previous')}
      </Button>
      <Button icon="right" disabled={page >= pages} onClick={() => goTo(page + 1)}>
        {t('Next')}
      </Button>
    </nav>
  )
}
