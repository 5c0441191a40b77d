import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { goToPage, place } from '../../router.ts'

const ALL_ID = 'all'

/** The id of the chosen view (a filter of the list), kept while other pages are open. */
export const view = signal(ALL_ID)

/** The view as a part of an address, which leaves out the view of all conversations. */
export const readViewQuery = (): { readonly view: string } => ({
  view: view.value === ALL_ID ? '' : view.value,
})

/** Chooses a view, and writes it into the address: a reload and a link keep it. */
export function showView(id: string): void {
  view.value = id
  const { path, query } = place.peek()
  goToPage(path, { ...Object.fromEntries(query), ...readViewQuery() }, true)
}

/** Shows the view of the address. One without a view, as that of a notification, gets the chosen view. */
export function useViewInAddress(): void {
  const { path, query } = place.value
  const asked = query.get('view')
  useLayoutEffect(() => {
    if (asked) view.value = asked
    else if (view.value !== ALL_ID) showView(view.value)
  }, [path, asked])
}
