import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'

// The API reference: Swagger UI with api/openapi.json. "Try it out" calls the server of this page.

const dark = matchMedia('(prefers-color-scheme: dark)')
const paintTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
paintTheme()
dark.addEventListener('change', paintTheme)

const response = await fetch('api/openapi.json')
const spec = await response.json()
spec.servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }]

SwaggerUI({
  spec,
  domNode: document.getElementById('reference'),
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  filter: true,
  validatorUrl: null,
})
