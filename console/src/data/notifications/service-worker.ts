/**
 * Starts the service worker if supported: only on pages with https or on localhost. Tells it
 * this tab's page, and opens the page of a clicked notification.
 */
export function startServiceWorker(): void {
  const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker
  workers?.addEventListener('message', ({ data, ports }) => {
    if (data?.ask === 'place') ports[0]?.postMessage(location.hash)
    if (typeof data?.go === 'string') location.hash = data.go
  })
  workers?.startMessages()
  void workers?.register('./sw.js', { scope: './' }).catch(() => {}) // the console works without it
}
