/** Answers the service worker: which place this tab shows, and goes to that of a clicked notification. */
export function answerServiceWorker(): void {
  // not there on plain http
  const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker
  workers?.addEventListener('message', ({ data, ports }) => {
    if (data?.ask === 'place') ports[0]?.postMessage(location.hash)
    if (typeof data?.go === 'string') location.hash = data.go
  })
  workers?.startMessages()
}
