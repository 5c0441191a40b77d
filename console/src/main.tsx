import './style/tokens.css'
import './style/base.css'
import './style/buttons.css'
import './style/forms.css'
import './style/boxes.css'
import './style/cards.css'
import './style/tables.css'
import './style/dialogs.css'
import './style/tabs.css'
import './style/shell.css'
import { render } from 'preact'
import { App } from './app.tsx'
import './data/theme.ts'
import { watchLine } from './data/line/line.ts'
import { watchOutbox } from './data/line/outbox.ts'
import { startServiceWorker } from './data/notifications/service-worker.ts'
import { watchSession } from './data/session.ts'
import { watchOwnSettings } from './data/user-settings/own.ts'
import { language } from './language/language.ts'
import { guardUnsaved } from './shell/leave-guard.ts'

document.documentElement.lang = language
watchLine()
watchSession()
watchOutbox()
startServiceWorker()
watchOwnSettings()
guardUnsaved()
// phones that this browser plays, if it ever did
if (localStorage.getItem('pocketsms.simulated-phones')) void import('./data/device/simulated-phones.ts')
render(<App />, document.getElementById('console')!)
