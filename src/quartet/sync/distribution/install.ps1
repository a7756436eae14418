# Installs the sync agent from the server, joins it and installs its background service.
param([Parameter(Mandatory)][string]$Code)
$ErrorActionPreference = 'Stop'
# Windows PowerShell downloads many times slower while it shows the progress.
$ProgressPreference = 'SilentlyContinue'

$server = @SERVER@
$platform = @PLATFORM@
$pythonVersion = @PYTHON@
$sha256 = @SHA256@
# Platforms for which the server has a program that contains Python, with its checksum.
$programs = @PROGRAMS@

$machines = @(if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' }) + 'amd64'
$folder = Join-Path $env:LOCALAPPDATA 'quartet-agent'
New-Item -ItemType Directory -Force $folder | Out-Null

function Install-File([string]$Name, [string]$Checksum, [string]$File) {
    Write-Host "Downloading the agent from $server"
    Invoke-WebRequest -UseBasicParsing "$server/api/agent/$Name" -OutFile "$File.part"
    if ((Get-FileHash "$File.part" -Algorithm SHA256).Hash -ne $Checksum) {
        throw 'The download has the wrong checksum.'
    }
    if (Test-Path $File) {
        # A running program can be renamed, but not replaced.
        Remove-Item "$File.old" -ErrorAction SilentlyContinue
        Move-Item -Force $File "$File.old"
    }
    Move-Item "$File.part" $File
}

function Test-Python {
    if (-not (Get-Command py -ErrorAction SilentlyContinue)) { return $false }
    & py "-$pythonVersion" -c 'pass'
    return $LASTEXITCODE -eq 0
}

$program = $null
$arguments = @()
foreach ($machine in $machines) {
    # ARM devices also run programs for other processors.
    $line = $programs -split "`n" | Where-Object { $_.StartsWith("windows-$machine ") }
    if ($line) {
        $program = Join-Path $folder 'quartet-agent.exe'
        Install-File "program/windows-$machine" ($line.Split(' ')[1]) $program
        break
    }
    if ("windows-$machine" -eq $platform -and (Test-Python)) {
        $file = Join-Path $folder 'quartet-agent.pyz'
        Install-File 'file' $sha256 $file
        $program = 'py'
        $arguments = @("-$pythonVersion", $file)
        break
    }
}
if (-not $program) {
    throw "This server has no agent for windows-$($machines[0]) without Python $pythonVersion. " +
        "Install quartet-suite with pip and run: quartet agent join --server $server $Code"
}
& $program @arguments agent join --server $server $Code
if ($LASTEXITCODE -ne 0) { throw 'The agent could not join.' }
& $program @arguments agent service install
if ($LASTEXITCODE -ne 0) { throw 'The background service could not be installed.' }
