# The common part of the README tours. In the project's folder: . infra/tools/tour.sh

BASE=${BASE:-http://127.0.0.1:3000}
TOUR_CREDENTIALS=${LOCAL_DATA_DIR:-./.local}/credentials.json
JSON='Content-Type: application/json'

# A member of credentials.json: credential 'workspaces[0].id'
credential() { node -p "JSON.parse(fs.readFileSync('$TOUR_CREDENTIALS')).$1"; }
AUTH="Authorization: Bearer $(credential 'workspaces[0].users[0].api_key')"

# Reads an answer and prints the value of an expression on it. It fails if the answer is not JSON, or is an error of the
# service, unless the expression reads the error.
read_answer() {
  node -e '
    const text = fs.readFileSync(0, "utf8")
    const fail = (reason) => { console.error(reason); process.exit(1) }
    let answer
    try { answer = JSON.parse(text) } catch { fail(`This is not an answer of the service: ${text.slice(0, 500) || "nothing"}`) }
    const expression = process.argv[1]
    if (answer.error && !expression.includes("error")) fail(`The service refused: ${JSON.stringify(answer.error, null, 2)}`)
    const result = new Function("answer", `return ${expression}`)(answer)
    if (result === undefined) fail(`The answer has no ${expression}: ${text.slice(0, 500)}`)
    console.log(typeof result === "string" ? result : JSON.stringify(result, null, 2))
  ' "$1"
}

# A member of an answer: curl … | field id
field() { read_answer "answer.$1"; }

# Some members of an answer: curl … | show 'id, name'
show() { read_answer "(({ $1 }) => ({ $1 }))(answer)"; }

# The first event of a type about a record, from the log. It waits for the event: event_of envelope.completed $ENVELOPE
event_of() {
  wait_for "$2" events_page "$1" "$2"
  printf '%s' "$tour_answer" | read_answer "answer.data.filter(({ data }) => data.id === '$2').map(({ type, data: { id, ...more } }) => [type, more])[0]"
}

# The page of the events of a type that contains a text, or the last page
events_page() {
  tour_cursor=
  while :; do
    tour_page=$(curl -s "$BASE/api/v1/webhooks/events?type=$1&limit=100$tour_cursor" -H "$AUTH")
    case $tour_page in *"$2"* | *'"cursor":null'*) break ;; esac
    tour_next=$(printf '%s' "$tour_page" | field pagination.cursor) || break
    tour_cursor="&cursor=$tour_next"
  done
  printf '%s' "$tour_page"
}

# The day in Berlin by the clock of the service, which may have been moved
today() {
  curl -s "$BASE/local/clock" |
    read_answer 'new Intl.DateTimeFormat("sv", { timeZone: "Europe/Berlin" }).format(new Date(answer.now))'
}

# Repeats a command until its output contains a text, for two minutes at most: wait_for '"status":"done"' curl …
wait_for() {
  tour_text=$1
  shift
  tour_tries=0
  while [ "$tour_tries" -lt 240 ]; do
    tour_answer=$("$@" || true)
    case $tour_answer in *"$tour_text"*) return 0 ;; esac
    tour_tries=$((tour_tries + 1))
    sleep 0.5
  done
  printf 'Within two minutes there was no %s. The last answer: %s\n' "$tour_text" "$tour_answer" >&2
  return 1
}
