import { Button } from '../form/button.tsx'

/**
 * Pages of a list: where it is, how many there are, back and forth. Nothing to see while there is one page.
 */
export function Pager(list: { page: number; pages: number; total: number; goTo: (page: number) => void }) {
  const { page, pages, total, goTo } = list
  if (pages <= 1 && page === 1) return null
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        Page {page} of {pages.toLocaleString()} · {total.toLocaleString()} in all
      </span>
      <Button icon="left" disabled={page <= 1} onClick={() => goTo(page - 1)}>
        Previous
      </Button>
      <Button icon="right" disabled={page >= pages} onClick={() => goTo(page + 1)}>
        Next
      </Button>
    </nav>
  )
}
