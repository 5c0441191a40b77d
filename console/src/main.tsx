import './style/tokens.css'
import './style/base.css'
import './style/buttons.css'
import './style/forms.css'
import './style/segments.css'
import './style/file-choice.css'
import './style/boxes.css'
import './style/cards.css'
import './style/tables.css'
import './style/table-buttons.css'
import './style/table-cards.css'
import './style/dialogs.css'
import './style/shell.css'
import './style/side-bar.css'
import './style/rail.css'
import './style/account-menu.css'
import './style/bottom-bar.css'
import './style/page-head.css'
import './style/signed-out.css'
import './style/print.css'
import { render } from 'preact'
import { App } from './app.tsx'
import './data/theme.ts'
import { watchConnection } from './data/connection/connection.ts'
import { watchOutbox } from './data/connection/outbox.ts'
import { watchMailLanguage } from './data/mail-language.ts'
import { markBrowser } from './data/mark-browser.ts'
import { watchNextPerson } from './data/next-person.ts'
import { watchSession } from './data/session.ts'
import { discardUnsavedDrafts, findLeavingWords, hasUnsavedDrafts } from './data/use/use-draft.ts'
import { watchOwnSettings } from './data/user-settings/own.ts'
import { loadPageTexts } from './language/catalogue.ts'
import { DIRECTIONS, language } from './language/language.ts'
import { t } from './language/words.ts'
import { watchCutTexts } from './parts/cut-texts.ts'
import { askToConfirm } from './parts/dialog/dialog.tsx'
import { guardLeaving } from './router.ts'
import { isPageShown } from './shell/late.tsx'

const UNSAVED = {
  title: t('Leave without saving?'),
  text: t('Changes on this page are not saved yet.'),
  action: t('Leave without saving'),
}

/** Asks before the user leaves a page with unsaved changes, by a link, the back button or a reload. */
function guardUnsaved(): void {
  guardLeaving(hasUnsavedDrafts, async () => {
    for (const words of findLeavingWords(UNSAVED))
      if (!(await askToConfirm({ ...words, keep: t('Stay'), danger: true }))) return false
    discardUnsavedDrafts()
    return true
  })
  addEventListener('beforeunload', (event) => {
    if (hasUnsavedDrafts()) event.preventDefault()
  })
}

/**
 * Starts the service worker if supported: only on pages with https or on localhost. Tells it which page this
 * tab shows, and opens the page of a clicked notification.
 */
function startServiceWorker(): void {
  const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker
  workers?.addEventListener('message', ({ data, ports }) => {
    if (data?.ask === 'place') ports[0]?.postMessage(location.hash)
    if (typeof data?.go === 'string') location.hash = data.go
  })
  workers?.startMessages()
  void workers?.register('./sw.js', { scope: './' }).catch(() => {}) // the console works without it
}

void loadPageTexts().catch(() => {}) // a page that is opened tries again
document.documentElement.lang = language
document.documentElement.dir = DIRECTIONS[language]
watchConnection()
markBrowser()
startServiceWorker()
guardUnsaved()
watchCutTexts()
watchNextPerson()
watchOutbox()
isPageShown.subscribe((isShown) => {
  if (!isShown) return
  watchSession()
  watchOwnSettings()
  watchMailLanguage()
})
// runs simulated phones again if this browser has run any
if (localStorage.getItem('pocketsms.simulated-phones'))
  void import('./data/device/simulated-phones.ts')
render(<App />, document.getElementById('console')!)
