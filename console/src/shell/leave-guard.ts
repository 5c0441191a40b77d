import { discardUnsaved, hasUnsaved } from '../data/use/use-draft.ts'
import { confirmed } from '../parts/dialog/dialog.tsx'
import { guardLeaving } from '../router.ts'

const QUESTION = {
  title: 'Leave without saving?',
  text: 'Changes on this page are not saved yet.',
  action: 'Leave without saving',
  keep: 'Stay',
  danger: true,
} as const

/** Asks before a page with unsaved settings is left, whatever leads away from it. */
export function guardUnsaved(): void {
  guardLeaving(hasUnsaved, async () => {
    if (!(await confirmed(QUESTION))) return false
    discardUnsaved()
    return true
  })
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault()
  })
}
