# Installs the sync agent from the server, joins it and installs its background service.
param([Parameter(Mandatory)][string]$Code)
$ErrorActionPreference = 'Stop'

$server = @SERVER@
$platform = @PLATFORM@
$pythonVersion = @PYTHON@
$sha256 = @SHA256@
$machine = if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' } else { 'amd64' }
if ("windows-$machine" -ne $platform) {
    throw "This server has the agent for $platform, but this device is windows-$machine. " +
        "Install quartet-suite with pip and run: quartet agent join --server $server $Code"
}
$folder = Join-Path $env:LOCALAPPDATA 'quartet-agent'
$file = Join-Path $folder 'quartet-agent.pyz'
New-Item -ItemType Directory -Force $folder | Out-Null
Write-Host "Downloading the agent from $server"
Invoke-WebRequest "$server/api/agent/file" -OutFile "$file.part"
if ((Get-FileHash "$file.part" -Algorithm SHA256).Hash -ne $sha256) {
    throw 'The download has the wrong checksum.'
}
Move-Item -Force "$file.part" $file
& py "-$pythonVersion" $file agent join --server $server $Code
if ($LASTEXITCODE -ne 0) { throw 'The agent could not join.' }
& py "-$pythonVersion" $file agent service install
