# SPDX-License-Identifier: Apache-2.0
"""TLS and passwords: a server of its own with a certificate made here; psql where it is installed."""
import base64
import hashlib
import hmac
import os
import shutil
import socket
import ssl
import struct
import subprocess
import time

import kit
from kit import Missing, Pg, check, expect, message, startup_packet, text
