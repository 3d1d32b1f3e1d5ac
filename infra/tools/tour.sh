# What the tours of the READMEs share. In the project's folder: . infra/tools/tour.sh

BASE=${BASE:-http://127.0.0.1:3000}
TOUR_CREDENTIALS=${LOCAL_DATA_DIR:-./.local}/credentials.json
JSON='Content-Type: application/json'

# A member of credentials.json: credential 'workspaces[0].id'
credential() { node -p "JSON.parse(fs.readFileSync('$TOUR_CREDENTIALS')).$1"; }
AUTH="Authorization: Bearer $(credential 'workspaces[0].users[0].api_key')"

# Reads an answer and prints what the expression makes of it. An error of the service, and what is no JSON, is printed and
# fails, unless the expression asks for the error.
read_answer() {
  node -e '
    const text = fs.readFileSync(0, "utf8")
    const fail = (reason) => { console.error(reason); process.exit(1) }
    let answer
    try { answer = JSON.parse(text) } catch { fail(`This is no answer of the service: ${text.slice(0, 500) || "nothing"}`) }
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

# Repeats a command until what it prints contains a text, for two minutes at most: wait_for '"status":"done"' curl …
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
