import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/shell.css'
import { render } from 'preact'
import { App } from './app.tsx'
import './data/theme.ts'
import { watchSession } from './data/session.ts'

watchSession()
render(<App />, document.getElementById('console')!)
