/**
 * The script of the drawing field. It shows the field, which is hidden without scripts, and writes the drawing into the
 * form as a PNG. Strokes are kept as points, so that one can be undone, and the drawing is redrawn when the size of the
 * screen changes. If a form was refused, its drawing is shown again as a picture below new strokes.
 */
export const drawingScript = `
(() => {
  const form = document.getElementById('sign')
  const field = document.getElementById('drawing')
  if (!form) return
  form.addEventListener('submit', () => setTimeout(() => { form.querySelector('.main').disabled = true }))
  addEventListener('pageshow', () => { form.querySelector('.main').disabled = false })
  if (!field) return
  const canvas = field.querySelector('canvas')
  const input = form.elements.namedItem('signature')
  const [undo, clear] = field.querySelectorAll('button')
  const status = field.querySelector('[role=status]')
  const context = canvas.getContext('2d')
  const maxLength = Number(field.dataset.max)
  let strokes = []
  let before = null
  field.hidden = false

  const draw = (scale) => {
    const { width, height } = canvas.getBoundingClientRect()
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    if (before) context.drawImage(before, 0, 0, width, width * before.height / before.width)
    context.lineWidth = 2.4
    context.lineCap = context.lineJoin = 'round'
    context.strokeStyle = context.fillStyle = '#10182b'
    for (const points of strokes) {
      context.beginPath()
      const at = points.map(([x, y]) => [x * width, y * width])
      if (at.length === 1) context.arc(at[0][0], at[0][1], 1.4, 0, 7), context.fill()
      else {
        context.moveTo(...at[0])
        for (let i = 1; i < at.length - 1; i += 1)
          context.quadraticCurveTo(...at[i], (at[i][0] + at[i + 1][0]) / 2, (at[i][1] + at[i + 1][1]) / 2)
        context.lineTo(...at[at.length - 1])
        context.stroke()
      }
    }
  }
  const show = () => {
    draw(Math.min(2, window.devicePixelRatio || 1))
    undo.disabled = strokes.length === 0
    clear.disabled = strokes.length === 0 && !before
  }
  const write = () => {
    input.value = ''
    if (strokes.length === 0 && !before) return
    for (const scale of [2, 1, .5]) {
      draw(scale)
      const url = canvas.toDataURL('image/png')
      if (url.length <= maxLength) { input.value = url; break }
    }
    show()
  }
  const pointOf = (event) => {
    const { left, top, width } = canvas.getBoundingClientRect()
    return [(event.clientX - left) / width, (event.clientY - top) / width]
  }
  let current = null
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    event.preventDefault()
    canvas.setPointerCapture(event.pointerId)
    current = [pointOf(event)]
    strokes.push(current)
    show()
  })
  canvas.addEventListener('pointermove', (event) => {
    if (!current) return
    const events = event.getCoalescedEvents ? event.getCoalescedEvents() : []
    for (const one of events.length ? events : [event]) current.push(pointOf(one))
    show()
  })
  const end = () => {
    if (!current) return
    current = null
    write()
    status.textContent = field.dataset.drawn
  }
  canvas.addEventListener('pointerup', end)
  canvas.addEventListener('pointercancel', end)
  undo.addEventListener('click', () => { strokes.pop(); write(); status.textContent = field.dataset.undone })
  clear.addEventListener('click', () => { strokes = []; before = null; write(); status.textContent = field.dataset.cleared })
  form.addEventListener('submit', write)
  addEventListener('resize', show)
  if (input.value) {
    const image = new Image()
    image.onload = () => { before = image; show() }
    image.src = input.value
  }
  show()
})()
`
